import type { Content, ContentBlockInit, Role, TextBlock, UserBlock } from './blocks.ts';
import { Msg } from './msg.ts';
import type { MsgInit } from './msg-data.ts';

// Three forms, told apart by type alone: (init), (name, content), (content). The commonest is the last overload, because that is the
// one the compiler explains when none fits.

/** What a person says: text and media. @throws AgentScopeError `message/invalid` for any other block */
export class UserMessage extends Msg {
  constructor(init: MsgInit<UserBlock>);
  constructor(name: string, content: Content<UserBlock>);
  constructor(content: Content<UserBlock>);
  constructor(first: Form<UserBlock>, content?: Content<UserBlock>) {
    super(initOf('USER', first, content));
  }
}

/** An instruction of the application: text. @throws AgentScopeError `message/invalid` for any other block */
export class SystemMessage extends Msg {
  constructor(init: MsgInit<TextBlock>);
  constructor(name: string, content: Content<TextBlock>);
  constructor(content: Content<TextBlock>);
  constructor(first: Form<TextBlock>, content?: Content<TextBlock>) {
    super(initOf('SYSTEM', first, content));
  }
}

/** What an agent says and does: any block. */
export class AssistantMessage extends Msg {
  constructor(init: MsgInit);
  constructor(name: string, content: Content);
  constructor(content: Content);
  constructor(first: Form<ContentBlockInit>, content?: Content) {
    super(initOf('ASSISTANT', first, content));
  }
}

/** Results of tools as a message of their own: how AgentScope Java keeps them, and an answer to calls that wait for outside work. */
export class ToolResultMessage extends Msg {
  constructor(init: MsgInit);
  constructor(name: string, content: Content);
  constructor(content: Content);
  constructor(first: Form<ContentBlockInit>, content?: Content) {
    super(initOf('TOOL', first, content));
  }
}

type Form<B> = MsgInit<B> | Content<B>;

/** A list, a text or a block (it has a type) is content; anything else is the object form. */
function initOf<B extends ContentBlockInit>(role: Role, first: Form<B>, content: Content<B> | undefined): MsgInit & { readonly role: Role } {
  if (content !== undefined && typeof first === 'string') return { name: first, content, role };
  if (typeof first === 'object' && !Array.isArray(first) && !('type' in first)) return { ...(first as MsgInit<B>), role };
  return { content: first as Content<B>, role };
}
