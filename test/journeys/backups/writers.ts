/** Eight clients that write and delete datasets, and remember what was acknowledged. */

import { client, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'

/** Entity tags of datasets by id, of their last acknowledged write; `deleted` after a removal. */
export type Acknowledged = ReadonlyMap<string, string>

const lanes = 8
/** How far a client goes back to write a dataset again, or delete it; older ones stay as they are. */
const lookBack = 20

/** Writes and deletes datasets of the catalogue `water`, eight at once, until `stop`: every other write is that of a new one. */
export function writers(platform: Pick<Gateway, 'url' | 'key'>) {
  const api = client(platform)
  const acknowledged = new Map<string, string>()
  const state = { isOn: true, wrong: [] as string[] }
  const put = (id: string, title: string) =>
    api.putDataset(
      'water',
      id,
      `${prefixes}<> a dcat:Dataset ; dct:title "${title}" ;
      dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://files.example/${id}> ] .`,
    )
  const remove = (id: string) => {
    const headers = { 'X-API-Key': platform.key }
    return fetch(`${api.repo}/datasets/${id}`, { method: 'DELETE', headers })
  }
  const write = async (lane: number) => {
    for (let n = 0; state.isOn; n += 1) {
      const newest = n >> 1
      const number = n % 2 === 0 ? newest : Math.max(0, newest - ((n * 7) % lookBack))
      const id = `d${lane}-${number}`
      const isRemoved = n % 7 === 5 && (acknowledged.get(id) ?? 'deleted') !== 'deleted'
      // Unknown until the answer.
      acknowledged.delete(id)
      const answer = isRemoved ? await remove(id) : await put(id, `title ${n}`)
      if (answer.ok) acknowledged.set(id, isRemoved ? 'deleted' : answer.headers.get('ETag')!)
      else state.wrong.push(`${id}: ${answer.status}`)
    }
  }
  const ended = Promise.all(Array.from({ length: lanes }, (_, lane) => write(lane)))
  return {
    acknowledged: (): Acknowledged => new Map(acknowledged),
    /** Ends the clients; resolves with what was refused. */
    stop: async () => {
      state.isOn = false
      await ended
      return state.wrong
    },
  }
}
