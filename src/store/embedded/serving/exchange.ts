/** One request and its answer as plain values, for calls that never see a socket. */

export type Exchange = {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
  readonly signal: AbortSignal | undefined
}

export type Answered = {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}
