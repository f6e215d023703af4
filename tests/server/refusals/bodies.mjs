/** Bodies of refusals, as providers shape them. */

export const openai = (message, code = null, type = "invalid_request_error", param = null) => ({
  error: { message, type, param, code },
});
export const anthropic = (message, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "req_011",
});
export const google = (code, message, status, details) => ({
  error: { code, message, status, ...(details && { details }) },
});
export const vllm = (message) => ({ object: "error", message, type: "BadRequestError", param: null, code: 400 });
