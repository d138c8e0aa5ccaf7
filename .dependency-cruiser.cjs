/**
 * The import line of `layers.json` as rules for dependency-cruiser. Change the list there, not the rules here.
 *
 * Parsed with swc: TypeScript 7 has no JavaScript API that dependency-cruiser could use, and swc sees `import type` as well, so
 * types count as imports. The one form it misses, `import('./x.ts').T` inside a type, is forbidden by oxlint.
 * `scripts/layers.test.ts` plants a fault for every rule and expects it to be found.
 */
const { root, line, edges, nodeBuiltins } = require('./layers.json');

const edgeNames = Object.keys(edges);
const all = [...line, ...edgeNames];
const inside = (folders) => `^${root}/(${folders.join('|')})/`;

/** Everything on the line up to and with `folder`; for an edge, what it may import plus itself. */
const upTo = (folder) =>
  line.includes(folder) ? line.slice(0, line.indexOf(folder) + 1) : [...edges[folder].flatMap(upTo), folder];

/** A folder may import `allowed` and itself; anything else in the tree is a fault. */
const only = (name, folder, allowed) => ({
  name,
  severity: 'error',
  comment: `${folder}/ may import only: ${allowed.join(', ') || 'nothing'}`,
  from: { path: inside([folder]) },
  to: { path: inside(all.filter((other) => other !== folder && !allowed.includes(other))) },
});

const lineRules = line.map((folder, at) => only(`line:${folder}`, folder, line.slice(0, at)));
const edgeRules = edgeNames.map((edge) => only(`edge:${edge}`, edge, edges[edge].flatMap(upTo)));

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', comment: 'the file or package does not exist', from: {}, to: { couldNotResolve: true } },
    {
      name: 'known-folder',
      severity: 'error',
      comment: 'a new folder is a new word in layers.json, and a reason',
      from: { path: `^${root}/[^/]+/`, pathNot: inside(all) },
      to: {},
    },
    ...lineRules.filter((rule) => rule.to.path !== inside([])),
    ...edgeRules,
    {
      name: 'composition-root',
      severity: 'error',
      comment: 'index.ts and registry.ts put the parts together; no part imports them',
      from: { path: `^${root}/[^/]+/` },
      to: { path: `^${root}/[^/]+[.]ts$` },
    },
    {
      name: 'vendor-siblings',
      severity: 'error',
      comment: 'one vendor never imports another (provider/shared is for all)',
      from: { path: `^${root}/provider/([^/]+)/` },
      to: { path: `^${root}/provider/([^/]+)/`, pathNot: `^${root}/provider/($1|shared)/` },
    },
    {
      name: 'index-only',
      severity: 'error',
      comment: 'from outside a folder, import its index.ts',
      from: { path: `^${root}/([^/]+)/` },
      to: { path: `^${root}/[^/]+/.+`, pathNot: [`^${root}/$1/`, `^${root}/[^/]+/index[.]ts$`] },
    },
    {
      name: 'index-only-root',
      severity: 'error',
      comment: 'the composition root imports the index.ts of a folder, or of one vendor or store',
      from: { path: `^${root}/[^/]+[.]ts$` },
      to: { path: `^${root}/[^/]+/.+`, pathNot: [`^${root}/[^/]+/(index|node)[.]ts$`, `^${root}/(${edgeNames.join('|')})/[^/]+/index[.]ts$`] },
    },
    {
      name: 'node-builtins',
      severity: 'error',
      comment: `node:* only in ${nodeBuiltins.join(', ')} and in files called node.ts: the root runs in a browser`,
      from: { path: `^${root}/`, pathNot: [inside(nodeBuiltins), '/node[.]ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'runtime-dependencies',
      severity: 'error',
      comment: 'shipped code imports only what its own package.json lists under dependencies or peerDependencies',
      from: { path: '^packages/[^/]+/src/' },
      // An optional peer is a dev dependency of the workspace as well, to test with.
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'public-entries',
      severity: 'error',
      comment: 'another package reaches the library through its public entries',
      from: { path: '^(packages|examples)/', pathNot: `^${root}/` },
      to: { path: `^${root}/` },
    },
  ],
  options: {
    parser: 'swc',
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '[.]test(-d)?[.]tsx?$' },
  },
};
