import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { conversationView, openNote } from './conversation-view.ts';
import { SHOW_HELP } from './help.ts';
import { withSession } from './open.ts';
import type { Opened } from './open.ts';
import { targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';

export const showCommand: SessionCommand = {
  help: SHOW_HELP,
  flags: { json: { type: 'boolean' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const print = flags.has('json') ? printJson : printChat;
    return { session: target.id, run: (surroundings) => withSession(target, surroundings, (opened) => print(opened, surroundings)) };
  },
};

/** A message is its own JSON, in AgentScope Java's form with extensions. */
async function printJson({ session }: Opened, { output }: Surroundings): Promise<number> {
  const text = `${JSON.stringify(await session.messages(), null, 2)}\n`;
  output.write(output.isTerminal ? printable(text) : text);
  return EXIT.done;
}

async function printChat({ session }: Opened, { output }: Surroundings): Promise<number> {
  const view = conversationView(output);
  for (const msg of await session.messages()) view.message(msg);
  output.write(await openNote(session));
  return EXIT.done;
}
