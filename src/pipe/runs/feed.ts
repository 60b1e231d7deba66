/** What a run is fed with when no importer brings its records: datasets of the repository itself. */

/** Plain data, kept with the run: one that was interrupted goes on with it. */
export type Feed = {
  /** Id of the catalogue whose datasets go through the pipe; all datasets when absent. */
  readonly catalogue?: string
  /** Only these, by platform id. */
  readonly datasets?: readonly string[]
  /** The present metrics graph of a dataset goes along. */
  readonly withMetrics?: boolean
  /** Milliseconds between two datasets. */
  readonly pulseMs?: number
}
