/** What a portal of the tests can do wrong, request by request. */

export type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** An HTML error page with 200. */
  | { readonly kind: 'html' }
  /** An error envelope with 200; CKAN's unless `body` says otherwise. */
  | { readonly kind: 'envelope'; readonly body?: string; readonly contentType?: string }
  /** The first half of the right answer, then the connection ends. */
  | { readonly kind: 'truncated'; readonly framing: 'length' | 'chunked' }
  /** The right answer byte by byte. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** The request is read and never answered. */
  | { readonly kind: 'silent' }
  /** The head of the right answer, then the end of the connection. */
  | { readonly kind: 'head-only' }
  /** The head of the right answer, then nothing. */
  | { readonly kind: 'stuck' }
  /** Goes on for ever. */
  | { readonly kind: 'endless'; readonly chunk?: string }
  /** Few bytes of gzip that become this many, default 1 GB. */
  | { readonly kind: 'bomb'; readonly bytes?: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  /** The connection is reset before an answer. */
  | { readonly kind: 'reset' }
  /** 200 without a body. */
  | { readonly kind: 'empty' }
  /** The right answer with another body or other headers. */
  | { readonly kind: 'edited'; readonly edit: (text: string) => string | Uint8Array }
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }

export type FaultRule = {
  /** 1-based numbers of the requests of this portal, or what a request must be like. */
  readonly on: number | readonly number[] | ((request: Request, number: number) => boolean)
  readonly fault: Fault
  /** How often the rule applies; for ever when absent. */
  readonly times?: number
}

export type Faults = {
  /** The n-th request of the portal, the first is 1. */
  at(number: number, fault: Fault): void
  /** The n-th request and all after it. */
  from(number: number, fault: Fault): void
  /** Every request like this, at most so many times. */
  when(like: (request: Request, number: number) => boolean, fault: Fault, times?: number): void
  clear(): void
}

/** Rules in the order in which they were made; the first that fits counts. */
export function faultRules(initial: readonly FaultRule[] = []): Faults & {
  find(request: Request, number: number): Fault | undefined
} {
  type Live = { readonly rule: FaultRule; left: number }
  const live = (rule: FaultRule): Live => ({ rule, left: rule.times ?? Infinity })
  let rules = initial.map(live)
  const add = (rule: FaultRule) => void rules.push(live(rule))
  return {
    at: (number, fault) => add({ on: number, fault }),
    from: (number, fault) => add({ on: (_, at) => at >= number, fault }),
    when: (like, fault, times) => add({ on: like, fault, ...(times !== undefined && { times }) }),
    clear: () => {
      rules = []
    },
    find: (request, number) => {
      const found = rules.find(({ rule, left }) => left > 0 && fits(rule.on, request, number))
      if (found) found.left -= 1
      return found?.rule.fault
    },
  }
}

function fits(on: FaultRule['on'], request: Request, number: number): boolean {
  if (typeof on === 'function') return on(request, number)
  return typeof on === 'number' ? on === number : on.includes(number)
}
