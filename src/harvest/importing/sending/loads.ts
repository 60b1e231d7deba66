/** What goes out with one request: many datasets of one catalogue where the repository takes that, else one. */
import type { Loss } from '../summary.ts'
import type { DatasetParcel, Parcel } from '../cutting/parcels.ts'

/** Parcels of one catalogue; `alone` = by the single PUT. */
export type Load = {
  readonly catalogue: string
  readonly parcels: readonly DatasetParcel[]
  readonly alone: boolean
}

/** A load is full with so many datasets, or with so many characters. */
const mostDatasets = 200
const mostCharacters = 2 * 1_048_576

export class Loads {
  /** Whether many datasets go at once; may be turned off on the way. */
  bulk: boolean
  readonly #parcels: Iterator<Parcel, void>
  readonly #lose: (loss: Loss) => void
  readonly #alone: DatasetParcel[] = []
  readonly #filling = new Map<string, { parcels: DatasetParcel[]; characters: number }>()

  constructor(
    parcels: Iterator<Parcel, void>,
    options: { bulk: boolean; lose: (loss: Loss) => void },
  ) {
    this.#parcels = parcels
    this.bulk = options.bulk
    this.#lose = options.lose
  }

  /** Takes back what has to be sent by itself. */
  again(parcels: readonly DatasetParcel[]): void {
    this.#alone.push(...parcels)
  }

  next(): Load | undefined {
    for (;;) {
      const waiting = this.#alone.shift()
      if (waiting) return { catalogue: waiting.catalogue, parcels: [waiting], alone: true }
      const parcel = this.#parcels.next().value
      if (!parcel) return this.#last()
      if ('reason' in parcel) this.#lose(parcel)
      else if (this.bulk) {
        const full = this.#fill(parcel)
        if (full) return full
      } else this.#alone.push(parcel)
    }
  }

  #fill(parcel: DatasetParcel): Load | undefined {
    const { catalogue, body } = parcel
    const load = this.#filling.get(catalogue) ?? { parcels: [], characters: 0 }
    this.#filling.set(catalogue, load)
    load.parcels.push(parcel)
    load.characters += body.length
    const isFull = load.parcels.length >= mostDatasets || load.characters >= mostCharacters
    return isFull ? this.#take(catalogue) : undefined
  }

  #take(catalogue: string): Load {
    const { parcels } = this.#filling.get(catalogue) ?? { parcels: [] }
    this.#filling.delete(catalogue)
    return { catalogue, parcels, alone: !this.bulk }
  }

  #last(): Load | undefined {
    const [catalogue] = this.#filling.keys()
    if (catalogue === undefined) return undefined
    const load = this.#take(catalogue)
    if (!load.alone) return load
    this.again(load.parcels)
    return this.next()
  }
}
