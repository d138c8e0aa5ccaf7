import { createEvent } from '../../event/index.ts';
import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import { stateKey } from '../../state/index.ts';
import type { StateKey } from '../../state/index.ts';
import { defineTool } from '../../tool/index.ts';
import type { AnyTool } from '../../tool/index.ts';
import type { Middleware } from '../middleware.ts';

export type TodoState = 'pending' | 'in_progress' | 'completed';

/** One task, in the form both of AgentScope's languages keep (WIRE §7). */
export interface Todo {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly state: TodoState;
}
interface Todos {
  readonly tasks: readonly Todo[];
}

/** Where the tasks of an agent are in a session: `state().tasksContext` shows them, and they survive restarts and forks. */
export function todosOf(agentName: string): StateKey<Todos> {
  return stateKey<Todos>(`agentscope:tasks/${agentName}`, { tasks: [] });
}

const INPUT = {
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      description: 'All tasks, in order; the list takes the place of the one before.',
      items: {
        type: 'object',
        properties: {
          content: { type: 'string', description: 'What is to be done.' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
        },
        required: ['content', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
} as const;

/** AgentScope's `todo_write`: the model keeps a list of tasks, whole each time. Writing the same list again changes nothing, so it is `keyed`. */
export class TodoTools {
  readonly todoWrite: AnyTool;

  /** @param agentName whose tasks: as in the state, each agent of a session has its own */
  constructor(agentName: string) {
    const key = todosOf(agentName);
    this.todoWrite = defineTool({
      name: 'todo_write',
      description: 'Keeps the list of tasks of longer work. Write it before you begin, and again whenever a task begins or is done; one task at a time is in_progress.',
      input: INPUT,
      effect: 'keyed',
      execute: ({ todos }: JsonObject, { state }) => {
        const tasks = toTasks(todos);
        state.set(key, { tasks });
        return tasks.length === 0 ? 'The list is empty.' : `Kept.\n${listText(tasks)}`;
      },
    });
  }
}

export interface TaskReminderOptions {
  /** The agent's name: its tasks are meant. */
  readonly agentName: string;
  /** Model calls without a look at the list after which it is shown again, 1 or more. Default 5. */
  readonly every?: number | undefined;
}

/** Brings `todo_write` along, and shows the model the open tasks when a reply begins and when it has not looked at them for a while. */
export function taskReminder({ agentName, every = 5 }: TaskReminderOptions): Middleware {
  if (!Number.isInteger(every) || every < 1) throw new AgentScopeError('config/invalid', `every has to be a whole number of at least 1, not ${String(every)}.`, { details: { option: 'every' } });
  const key = todosOf(agentName);
  return {
    name: 'task-reminder',
    tools: [new TodoTools(agentName).todoWrite],
    async *onReasoning(input, next, { replyId, state }) {
      const open = state.get(key).tasks.filter((task) => task.state !== 'completed');
      const reply = input.messages.at(-1);
      const calls = reply?.role === 'ASSISTANT' ? callsSinceLook(reply.content) : 0;
      if (open.length > 0 && input.purpose === 'reason' && calls % every === 0) {
        yield createEvent('HINT_BLOCK', { replyId, blockId: `todo-${replyId}-${reply?.role === 'ASSISTANT' ? reply.content.length : 0}`, hintSource: 'agentscope', hint: `Open tasks:\n${listText(open)}` });
      }
      yield* next(input);
    },
  };
}

/** Model calls since `todo_write` was called last, in the reply that runs. */
function callsSinceLook(content: readonly { readonly type: string; readonly name?: unknown; readonly call?: number }[]): number {
  const last = content.findLast((block) => block.type === 'tool_use' && block.name === 'todo_write')?.call;
  const calls = new Set(content.flatMap(({ call }) => (call === undefined || call <= (last ?? 0) ? [] : [call])));
  return last === undefined ? calls.size : calls.size + 1;
}

function toTasks(todos: unknown): readonly Todo[] {
  const list = Array.isArray(todos) ? todos.filter(isObject) : [];
  return list.map(({ content, status }, i) => ({ id: String(i + 1), subject: String(content), description: '', state: status as TodoState }));
}

const MARKS: Readonly<Record<TodoState, string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };

function listText(tasks: readonly Todo[]): string {
  return tasks.map(({ state, subject }) => `${MARKS[state]} ${subject}`).join('\n');
}
