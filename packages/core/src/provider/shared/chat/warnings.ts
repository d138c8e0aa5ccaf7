/** Told, once for each text, what of a request a server does not take. */
export type Warn = (message: string) => void;

/** Default: `process.emitWarning`, where there is one. */
export function createWarn(provider: string, onWarning: Warn = emitWarning): Warn {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    onWarning(`${provider}: ${message}.`);
  };
}

function emitWarning(message: string): void {
  const { process } = globalThis as { process?: { emitWarning?(message: string, options: { type: string; code: string }): void } };
  process?.emitWarning?.(message, { type: 'AgentScopeWarning', code: 'model/option' });
}
