/** What a journey stands on: a store, told to the platform through its environment. */

export type StoreUnderTest = {
  readonly env: Readonly<Record<string, string>>
  /** Makes the way to the store bad or good again; `told` says what it did to how many requests. */
  readonly faults?: {
    readonly start: () => void
    readonly stop: () => void
    readonly told: () => string
  }
  /** What is in the store and should have gone, in sentences. */
  readonly leftovers?: () => Promise<readonly string[]>
  readonly end: () => Promise<void>
}

/** The store that the platform brings along. */
export const embedded = (): Promise<StoreUnderTest> =>
  Promise.resolve({ env: {}, end: () => Promise.resolve() })
