/** Writer to a search engine on a server that may lose its data: after a loss the indices are made again. */

import type { Log } from '../../log.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { IndexChange, SearchIndex } from '../search-index.ts'
import { engineUnavailable } from './answers.ts'

/** Writer of changes. */
export type ChangeWriter = {
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void>
}

type RecoveryContext<Writer> = {
  /** Makes a writer without cached state. */
  readonly open: () => Writer
  /** Reads the state of the server again after a call with unknown outcome. */
  readonly resolveUncertainty: () => Promise<void>
  /** Configures the server again. */
  readonly configure: () => Promise<void>
  /** Whether a failed write means that the server has lost its data. */
  readonly hasLostData: (error: unknown) => boolean
}

/** Replaces its writer, which caches state of the server, after a loss. */
export class RecoveringWriter<Writer extends ChangeWriter> {
  readonly #context: RecoveryContext<Writer>
  #isLost = false
  #writer: Writer

  constructor(context: RecoveryContext<Writer>) {
    this.#context = context
    this.#writer = context.open()
  }

  /** Present writer. */
  get current(): Writer {
    return this.#writer
  }

  /** Writes changes. Rejects if the server has lost its data, and until the indices are made again. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    if (this.#isLost) await this.#renew()
    await this.#context.resolveUncertainty()
    try {
      await this.#writer.write(changes, signal)
    } catch (error) {
      if (!this.#context.hasLostData(error)) throw error
      this.#isLost = true
      await this.#renew()
      throw engineUnavailable(
        'The search engine came back without its data, which are written again.',
        error,
      )
    }
  }

  async #renew(): Promise<void> {
    this.#writer = this.#context.open()
    await this.#context.configure()
    this.#isLost = false
  }
}

type RecoveredState = {
  readonly current: readonly IndexSettings[]
  configure(settings: readonly IndexSettings[]): Promise<readonly IndexName[]>
  resolveUncertainty(): Promise<void>
}

type RecoveryOptions<Writer> = Pick<RecoveryContext<Writer>, 'open' | 'hasLostData'> & {
  readonly state: RecoveredState
  readonly log: Log
}

/** Makes a writer that configures the indices as they were after a loss; `listen` is `SearchIndex.onDataLost`. */
export function recoveringWriter<Writer extends ChangeWriter>({
  state,
  log,
  ...writing
}: RecoveryOptions<Writer>) {
  let settings: readonly IndexSettings[] = []
  let onLost: (rebuild: readonly IndexName[]) => void = () => undefined
  const writer = new RecoveringWriter({
    ...writing,
    resolveUncertainty: () => state.resolveUncertainty(),
    configure: async () => {
      // After a failed attempt the state has only some of the indices.
      if (state.current.length > settings.length) settings = state.current
      const rebuild = await state.configure(settings)
      log.warn({ indices: rebuild }, 'index.lost')
      onLost(rebuild)
    },
  })
  const listen: SearchIndex['onDataLost'] = (listener) => {
    onLost = listener
  }
  return { writer, listen }
}
