/** Metadata key of the error a reply ended with, `{ type, message }`. */
export const ERROR_KEY = 'agentscope_error';
/** Metadata key of a result that waits for work outside. */
export const SUSPENDED_KEY = 'agentscope_suspended';
/** Metadata keys of an answer: the reply that asked. */
export const CONFIRM_KEY = 'agentscope_confirm_request_reply_id';
export const EXTERNAL_KEY = 'agentscope_external_execution_request_reply_id';
