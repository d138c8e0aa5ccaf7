const STORE = `      --store <folder>   where the sessions are kept (default .agentscope/sessions)`;
const USER = `      --user <id>        whose session it is (default: one that is nobody's, as those of the terminal are)`;
const REST = `${STORE}
  -h, --help`;
const EXITS = 'Exit codes: 0 done · 1 failed · 2 the command line was wrong (also: there is no such session)';

export const SESSIONS_HELP: string = `agentscope sessions: the conversations that are kept.

  agentscope sessions list                       one a line, the newest first
  agentscope sessions show <id>                  the conversation as the chat shows it
  agentscope sessions watch <id>                 the conversation while it goes on, in whichever process
  agentscope sessions export <id>                the conversation as a document
  agentscope sessions fork <id>                  a new session that goes on from a moment of this one
  agentscope sessions delete <id>                takes it away, for good

Each has --help. An id that begins with a dash goes behind "--".

${EXITS} · 130 interrupted
`;

export const LIST_HELP: string = `agentscope sessions list: the kept conversations, those used last first.

      --json             as JSON: id, user, updatedAt, unfinished, turns, waiting, lastSeq
      --unfinished       only those whose last reply has no end: it was cut off, or is running
      --limit <n>        at most so many
      --user <id>        only this user's
${REST}

Turns are what the person said; "?" (in JSON null) where the session cannot be read, as one of a newer version.
A session is "waiting" where a question is open: "show" shows it, and a chat with --session asks it.

Exit codes: 0 done (also: there are none) · 1 failed · 2 the command line was wrong
`;

export const SHOW_HELP: string = `agentscope sessions show <id>: the conversation as the chat shows it.

      --json             its messages as JSON, in AgentScope Java's form; ids for "fork" are there
${USER}
${REST}

${EXITS}
`;

export const WATCH_HELP: string = `agentscope sessions watch <id>: the conversation while it goes on, also in another process. Ctrl-C ends it; nothing is disturbed.

      --events           its events, one a line as JSON, nothing else
${USER}
${REST}

${EXITS}
`;

export const EXPORT_HELP: string = `agentscope sessions export <id>: the conversation as a document.

      --format <name>    markdown (to be read), json (one object), jsonl (one message a line);
                         default: what the name of --out ends in, else markdown
      --out <file>       where to write it, over what is there (default: stdout)
${USER}
${REST}

${EXITS}
`;

export const FORK_HELP: string = `agentscope sessions fork <id>: a new session that goes on from a moment of this one, which stays as it is. Prints its id.

      --before <msgId>   as it was before this message ("sessions show <id> --json" has the ids)
      --after <msgId>    as it was after this message
      --at <seq>         as it was right after this entry of the journal; none of the three: as it is now
      --to <new id>      default: an id nobody has
${USER}
${REST}

Go on with it:  agentscope --session <new id>

${EXITS} or message, or the new id is taken
`;

export const DELETE_HELP: string = `agentscope sessions delete <id>: takes the conversation away, for good.

      --yes              without asking; needed where there is no terminal to ask in
${USER}
${REST}

A session that a process is writing is not deleted (exit code 1).

${EXITS} · 130 interrupted
`;

export const REPLAY_HELP: string = `agentscope replay <id>: plays the conversation again, as it came.

      --speed <n>        2 is twice as fast, 0 as fast as possible (default 1); long pauses count as 2 s
      --events           its events, one a line as JSON, nothing else
${USER}
${REST}

${EXITS} · 130 interrupted
`;
