/** Memory of removals, so that an older write that arrives later does not restore a record. */

/** Most removals in memory. After a restart none is needed, because only the present records are written. */
const maxRemovals = 100_000

/** Versions of the latest removals by generation and id. */
export class RemovalMemory {
  readonly #versions = new Map<string, number>()
  readonly #most: number

  constructor(most = maxRemovals) {
    this.#most = most
  }

  /** Notes a removal, or with `undefined` that the record is stored again. */
  note(instance: string, id: string, version: number | undefined): void {
    const key = `${instance} ${id}`
    this.#versions.delete(key)
    if (version !== undefined) this.#versions.set(key, version)
    const [oldest] = this.#versions.size > this.#most ? this.#versions.keys() : []
    if (oldest !== undefined) this.#versions.delete(oldest)
  }

  /** Versions of those of some records that were removed. */
  versionsOf(instance: string, ids: readonly string[]): Map<string, number> {
    return new Map(
      ids.flatMap((id) => {
        const version = this.#versions.get(`${instance} ${id}`)
        return version === undefined ? [] : [[id, version] as const]
      }),
    )
  }
}
