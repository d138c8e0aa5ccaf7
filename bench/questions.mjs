// The questions, in the order they are printed. `per`: the figure is CPU divided by this. `budget`: what the figure of this library may
// be; a ratio to the floor (`x`) or milliseconds (`ms`). `sides`: what stands in the two columns instead of the floor and the library.

const work = (name, question, budget) => ({ name, kind: 'work', unit: 'CPU ms', warmMs: 700, ms: 1000, budget: { x: budget }, ...question });

/** What middleware costs: the library with it against the library without, in the column of the floor. */
const around = (side, title, budget) => ({ ...work(side, { title: `${title} / none, text-2000`, model: 'text-2000', per: 2, most: 25, sides: { floor: 'agentscope', agentscope: side } }), budget });

export const questions = [
  work('text', { title: 'text-2000, per 1,000 deltas', model: 'text-2000', per: 2, most: 25 }, 1.5),
  work('drip', { title: 'drip-500, per 1,000 deltas', model: 'drip-500', per: 0.5, most: 20 }, 1.3),
  work('tools', { title: 'tools-50, per round', model: 'tools-50', per: 50, least: 2, most: 12 }, 1.5),
  work('parallel', { title: 'parallel-20, per turn', model: 'parallel-20', per: 1, least: 5 }, 1.6),
  work('streams', { title: '200 x text-500 at once', model: 'text-500', per: 1, streams: 200, least: 2, ms: 3000, most: 3 }, 2),
  around('four-empty', 'four empty middlewares', { x: 1.1 }),
  around('four-passing', 'four layers that pass all on', {}),
  around('tracing', 'otelTracing without an SDK', { x: 1.1 }),
  { name: 'growth', kind: 'growth', title: 'tools-200, round 200 / round 10', unit: 'CPU', model: 'tools-200', growth: true, warmLeast: 2, warmMs: 1500, ms: 0, budget: { value: 1.3 } },
  { name: 'import', kind: 'import', title: 'import of the root', unit: 'ms', imports: { agentscope: ['@agentscope/core'] }, budget: { value: 30 } },
  {
    name: 'import-zod',
    kind: 'import',
    title: 'import of the root and zod',
    unit: 'ms',
    imports: { floor: ['zod'], agentscope: ['@agentscope/core', 'zod'] },
    budget: { value: 130 },
  },
];
