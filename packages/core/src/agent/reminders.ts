/** What the model is told before it is asked again. */
export function reminderFor(cause: 'limit' | 'empty' | 'only-thinking'): string {
  switch (cause) {
    case 'limit':
      return 'You have used all the steps of this reply. Do not call tools any more: answer now with what you know, and say what is left undone.';
    case 'empty':
      return 'Your last answer was empty. Answer the user, or call a tool.';
    case 'only-thinking':
      return 'Your last answer held only thinking, which the user does not see. Answer the user, or call a tool.';
  }
}
