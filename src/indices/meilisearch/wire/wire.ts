/** The one door to Meilisearch: JSON over lasting connections, within limits. */

/** A call that Meilisearch answered with an error of its own; `code` is its name for it. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
  }
}

/**
 * Every call answers the parsed JSON. It rejects with a `Failure`: `engine-unavailable` (no connection, a broken answer,
 * 503, 429, key refused), `time-limit`, `internal` (the request was wrong: a `Refusal` is its cause); when `signal` is
 * aborted, with a `Failure` too. Paths begin with `/`.
 */
export type Wire = {
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  patch(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  remove(path: string, signal?: AbortSignal): Promise<unknown>
  /** Lines of JSON, one document each. */
  lines(path: string, lines: readonly string[], signal?: AbortSignal): Promise<unknown>
  close(): void
}
