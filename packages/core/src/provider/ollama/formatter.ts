import { createTurnCutter, fileText, GO_ON, isBlank, isMedia, mediaNote, multiAgentOf } from '../../formatter/index.ts';
import type { AssistantTurn, FormatOptions, Formatter, MultiAgentFormatterClass, Turn, TurnCutter, TurnResult, UserTurn } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { imageData } from './media.ts';
import type { OllamaWireMessage } from './wire.ts';

/**
 * Messages for Ollama's `/api/chat`. Each message of a turn that did not change is the same frozen object as last time.
 *
 * Pictures stand beside the text of a user as bare base64, files of text in it; pictures of tools come as one user message behind their
 * results; what Ollama cannot take (sound, films, papers, media of an assistant) becomes a note. Thinking is not sent back. Neighbours of one role would be
 * merged by the server, which keeps only their text, so what several users say in a row is one message with all their pictures.
 */
export class OllamaChatFormatter implements Formatter<OllamaWireMessage[]> {
  readonly #cut: TurnCutter = createTurnCutter({ promoteMedia: (block) => imageData(block) !== undefined, alternate: true, opening: GO_ON });
  readonly #known: WeakMap<Turn, readonly OllamaWireMessage[]> = new WeakMap();

  format(messages: readonly Msg[], { tools, modelName }: FormatOptions): OllamaWireMessage[] {
    const wire: OllamaWireMessage[] = [];
    for (const turn of this.#cut(messages, tools, modelName)) {
      let known = this.#known.get(turn);
      if (known === undefined) this.#known.set(turn, (known = toWire(turn).map((message) => Object.freeze(message))));
      for (const message of known) append(wire, message);
    }
    return wire;
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const OllamaMultiAgentFormatter: MultiAgentFormatterClass<OllamaWireMessage[]> = /* @__PURE__ */ multiAgentOf(OllamaChatFormatter);

function append(wire: OllamaWireMessage[], message: OllamaWireMessage): void {
  const last = wire.at(-1);
  if (last?.role === 'user' && message.role === 'user') wire[wire.length - 1] = joined(last, message);
  else wire.push(message);
}

function joined(first: OllamaWireMessage, second: OllamaWireMessage): OllamaWireMessage {
  const images = [...(first.images ?? []), ...(second.images ?? [])];
  return { role: 'user', content: [first.content, second.content].filter((text) => text !== '').join('\n\n'), ...(images.length === 0 ? {} : { images }) };
}

function toWire(turn: Turn): readonly OllamaWireMessage[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      return [userMessage(turn)];
    case 'assistant':
      return [assistantMessage(turn)];
    case 'tool':
      return turn.results.map((result) => ({ role: 'tool', content: resultText(result), tool_name: result.name, tool_call_id: result.id }));
  }
}

function userMessage({ content }: UserTurn): OllamaWireMessage {
  const images = content.flatMap((block) => (block.type === 'text' ? [] : (imageData(block) ?? [])));
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : imageData(block) === undefined ? [fileText(block) ?? mediaNote(block)] : []));
  return { role: 'user', content: text.join('\n'), ...(images.length === 0 ? {} : { images }) };
}

/** `content` is always there, empty beside calls. The text of the arguments is well formed, the input need not be. */
function assistantMessage({ content, calls }: AssistantTurn): OllamaWireMessage {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : isMedia(block) ? [mediaNote(block)] : []));
  const toolCalls = calls.map((call) => ({ id: call.id, function: { name: call.name, arguments: JSON.parse(call.argumentsText) as object } }));
  return { role: 'assistant', content: text.join('\n'), ...(calls.length === 0 ? {} : { tool_calls: toolCalls }) };
}

function resultText({ content }: TurnResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : mediaNote(block))).filter((text) => !isBlank(text)).join('\n');
}
