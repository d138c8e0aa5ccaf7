import type { NameMap } from '../../formatter/index.ts';
import { isObject, newId } from '../../internal/index.ts';
import type { Increment } from '../../model/index.ts';
import { brokenAnswer } from '../shared/index.ts';
import type { AnswerFacts } from '../shared/index.ts';
import { PartialArguments } from './partial-arguments.ts';
import { partMetadata } from './private-data.ts';

/** Where increments go and how blocks get their numbers. */
export interface CallOutput {
  push(increment: Increment): void;
  openBlock(): number;
}

interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly values: PartialArguments;
}

interface CallPart {
  readonly thoughtSignature: string | undefined;
  readonly output: CallOutput;
}

/** Function calls: mostly whole and without an id, on Vertex also value by value. */
export class CallReader {
  readonly #facts: AnswerFacts & { readonly modelName: string; readonly names: NameMap };
  #open: OpenCall | undefined;
  #count = 0;

  constructor(facts: AnswerFacts & { readonly modelName: string; readonly names: NameMap }) {
    this.#facts = facts;
  }

  get count(): number {
    return this.#count;
  }

  read(call: Record<string, unknown>, { thoughtSignature, output }: CallPart): void {
    const { name, args, partialArgs, willContinue } = call;
    const isNamed = typeof name === 'string' && name !== '';
    if (!isNamed && this.#open === undefined && args === undefined && partialArgs === undefined) return; // closes a call that is closed
    if (isNamed || this.#open === undefined) {
      this.end(output, false);
      this.#open = this.#begin(call, { thoughtSignature, output });
      if (args !== undefined && args !== null) return this.#whole(args, output);
    }
    if (Array.isArray(partialArgs) && !this.#open.values.add(partialArgs)) throw brokenAnswer(this.#facts, 'A piece of the arguments of a tool call makes no sense.');
    if (willContinue !== true) this.end(output, false);
  }

  /** Closes the open call. `isCut`: the answer was cut off in it, so its arguments are no JSON on purpose. */
  end(output: CallOutput, isCut: boolean): void {
    const call = this.#open;
    if (call === undefined) return;
    this.#open = undefined;
    const text = JSON.stringify(call.values.value);
    output.push({ type: 'tool_use', index: call.index, id: call.id, content: isCut ? text.slice(0, -1) : text, done: true });
  }

  #begin({ id, name }: Record<string, unknown>, { thoughtSignature, output }: CallPart): OpenCall {
    const given = typeof id === 'string' && id !== '' ? id : undefined;
    const call: OpenCall = { id: given ?? newId(), index: output.openBlock(), values: new PartialArguments() };
    const metadata = partMetadata({ thoughtSignature, hasId: given !== undefined }, this.#facts.modelName);
    output.push({ type: 'tool_use', index: call.index, id: call.id, name: this.#facts.names.fromWire(typeof name === 'string' ? name : ''), content: '', ...metadata });
    this.#count++;
    return call;
  }

  /** Arguments that are no object go to the loop as they are; it tells the model. */
  #whole(args: unknown, output: CallOutput): void {
    const call = this.#open;
    this.#open = undefined;
    if (call !== undefined) output.push({ type: 'tool_use', index: call.index, id: call.id, content: isObject(args) || typeof args !== 'string' ? JSON.stringify(args) : args, done: true });
  }
}
