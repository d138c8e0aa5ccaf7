#!/usr/bin/env node
// Starts the program. Nothing is loaded here that `--version` does not need.
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2));
