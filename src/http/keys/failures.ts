/** Counts wrong API keys per address, so that guessing gets slow. */

type Failures = {
  /** Seconds until the address may try again, or undefined when it may try now. */
  blocked(address: string): number | undefined
  count(address: string): void
}

type Options = {
  /** Wrong keys per minute and address. */
  readonly perMinute: number
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number
  /** Addresses remembered at once; the oldest is forgotten first. */
  readonly addresses?: number
}

const minute = 60_000

/** A table of bounded size: an attacker with many addresses costs memory for `addresses` rows and not more. */
export function failures({ perMinute, now, addresses = 10_000 }: Options): Failures {
  const table = new Map<string, { readonly since: number; readonly count: number }>()

  const current = (address: string) => {
    const row = table.get(address)
    return row && now() - row.since < minute ? row : undefined
  }

  return {
    blocked: (address) => {
      const row = current(address)
      if (!row || row.count < perMinute) return undefined
      return Math.max(1, Math.ceil((row.since + minute - now()) / 1000))
    },
    count: (address) => {
      const row = current(address) ?? { since: now(), count: 0 }
      table.delete(address)
      table.set(address, { since: row.since, count: row.count + 1 })
      const oldest = table.keys().next().value
      if (table.size > addresses && oldest !== undefined) table.delete(oldest)
    },
  }
}
