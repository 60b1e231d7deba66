/** Which lines of a sorted content need a spelling note, found while they go by. */

import { prefixOf } from '../../lines.ts'
import type { Fidelity } from '../dialect.ts'
import { toNote } from '../values/notes.ts'
import { isSpelled } from '../values/value.ts'

/**
 * Lines that a store may take for one share subject and property, so that it is enough to look at these together; only an IRI
 * written once with and once without `..` is not found, of which the store gives back the plain one.
 */
export class Noting {
  readonly #fidelity: Fidelity
  readonly #tell: (line: string) => void
  #prefix = ''
  #group = new Set<string>()

  constructor(fidelity: Fidelity, tell: (line: string) => void) {
    this.#fidelity = fidelity
    this.#tell = tell
  }

  take(line: string): void {
    if (!isSpelled(line)) return
    if (this.#prefix === '' || !line.startsWith(this.#prefix)) {
      this.end()
      this.#prefix = prefixOf(line)
    }
    this.#group.add(line)
  }

  end(): void {
    if (this.#group.size === 0) return
    for (const line of toNote(this.#group, this.#fidelity)) this.#tell(line)
    this.#group = new Set()
  }
}
