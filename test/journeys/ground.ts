/** What a journey stands on: a store, told to the platform through its environment. */

export type Ground = {
  readonly env: Readonly<Record<string, string>>
  /** Makes the way to the store bad or good again; `told` says what it did to how many requests. */
  readonly weather?: {
    readonly storm: () => void
    readonly calm: () => void
    readonly told: () => string
  }
  /** What is in the store and should have gone, in sentences. */
  readonly leftovers?: () => Promise<readonly string[]>
  readonly end: () => Promise<void>
}

/** The store that the platform brings along. */
export const embedded = (): Promise<Ground> =>
  Promise.resolve({ env: {}, end: () => Promise.resolve() })
