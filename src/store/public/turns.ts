/** Whose query is next: clients take turns, however many each of them has waiting. */

type Visitor = { readonly client: string }

/** Waiting visits, for each client in the order in which they came. */
export class Turns<Visit extends Visitor> {
  /** In the order of turns: who was served goes to the end. */
  readonly #queues = new Map<string, Visit[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(visit: Visit): void {
    const queue = this.#queues.get(visit.client)
    if (queue) queue.push(visit)
    else this.#queues.set(visit.client, [visit])
    this.#size += 1
  }

  /** False when it does not wait. */
  remove(visit: Visit): boolean {
    const queue = this.#queues.get(visit.client) ?? []
    const at = queue.indexOf(visit)
    if (at < 0) return false
    queue.splice(at, 1)
    this.#size -= 1
    if (queue.length === 0) this.#queues.delete(visit.client)
    return true
  }

  /** The first visit, by turns, of a client that may come now. */
  take(mayCome: (client: string) => boolean): Visit | undefined {
    for (const [client, queue] of this.#queues) {
      const [visit] = queue
      if (visit === undefined || !mayCome(client)) continue
      this.remove(visit)
      this.#queues.delete(client)
      if (queue.length > 0) this.#queues.set(client, queue)
      return visit
    }
    return undefined
  }

  clients(): readonly string[] {
    return [...this.#queues.keys()]
  }

  all(): readonly Visit[] {
    return [...this.#queues.values()].flat()
  }

  /** The last visit of the client that has most of them, where that is more than `client` would have with one more. */
  displaced(client: string): Visit | undefined {
    const most = [...this.#queues.values()].reduce(
      (longest, queue) => (queue.length > longest.length ? queue : longest),
      [],
    )
    const own = (this.#queues.get(client)?.length ?? 0) + 1
    return most.length > own ? most.at(-1) : undefined
  }
}
