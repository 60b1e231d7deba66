/** What one atomic write to the triplestore consists of. */

/**
 * A change of one named graph. A graph has two parts: its *content*, which a PUT replaces as a whole, and *links*, single
 * lines that other resources' writes add and remove (`dcat:dataset` on a catalogue, pending marks in the system graph).
 * Replacing the content leaves the links alone, so that the cost of a PUT does not grow with their number.
 *
 * All texts are ground N-Triples in our own spelling: one triple per line, `\n` after each, no blank nodes.
 */
export type Change = {
  readonly graph: string
  /** The new content, sorted and without doubles; `''` removes the content; absent = content stays. */
  readonly content?: string
  /**
   * The content as `read` gave it to this writer under the lock that covers this write, `''` = there was none. A store that
   * works by differences need not read it again.
   */
  readonly before?: string
  /** Links that go. One that is not there is no error. */
  readonly remove?: readonly string[]
  /** Links that come, each a line without its line end. One that is there already is no error. */
  readonly add?: readonly string[]
  /** Removes the graph with its links; nothing else may stand beside it. */
  readonly drop?: true
}

/**
 * The outcome per change, in the order of the changes. Stores behind a wire do not look whether a graph existed of which
 * only links change, and say that it did.
 */
export type Written = { readonly graph: string; readonly existed: boolean }
