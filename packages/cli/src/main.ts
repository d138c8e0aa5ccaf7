#!/usr/bin/env node
// Starts the program. Nothing is loaded here that `--version` does not need.
import { run } from './run.ts';

// Everything is written by now, and what a tool has left open must not keep who wants to leave.
process.exit(await run(process.argv.slice(2)));
