/** Without control characters, line breaks and tabs excepted: nothing a model, a tool or a server says may steer the terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
