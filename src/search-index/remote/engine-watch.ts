/** Known facts about a search engine on a server, from its answers, for `/health`, the numbers of the process and the log. */

import type { Log } from '../../log.ts'
import type { ClusterHealth, EngineFacts, WriteBlock } from '../search-index.ts'
import { obstacleDetail, writeBlockOf } from './answers.ts'

/** Keeps what the last answers of a server said. */
export class EngineWatch {
  readonly #log: Log
  #cluster: ClusterHealth | undefined
  #clusterDetail: string | undefined
  #block: WriteBlock | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Facts from memory. */
  facts(): EngineFacts {
    const block = this.#block
    const sentences = [block && obstacleDetail(block), this.#clusterDetail]
    return {
      ...(this.#cluster && { cluster: this.#cluster }),
      ...(block && { writeBlock: block }),
      details: sentences.filter((sentence) => sentence !== undefined),
    }
  }

  /** Notes the health of the cluster with a sentence about it; `undefined` while no node answers. */
  noteCluster(health: ClusterHealth | undefined, detail?: string): void {
    this.#cluster = health
    this.#clusterDetail = detail
  }

  /** Notes whether the server takes writes. A block is logged each time that it refuses one. */
  noteBlock(block: WriteBlock | undefined): void {
    if (block) this.#log.error({ detail: obstacleDetail(block) }, 'engine.blocked')
    else if (this.#block) this.#log.info({}, 'engine.writable')
    this.#block = block
  }

  /** Passes a failed write on, and notes the block that it met. */
  readonly refused = (error: unknown): never => {
    const block = writeBlockOf(error)
    if (block) this.noteBlock(block)
    throw error
  }
}
