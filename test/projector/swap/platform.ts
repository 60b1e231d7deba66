/** A store, an index and what lies between them, over one directory that outlives them. */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { IndexName } from '../../../src/search-index/index-settings.ts'
import { logger, type Log } from '../../../src/log.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { JobRunner } from '../../../src/jobs/job-runner.ts'
import { projection } from '../../../src/projector/projection.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import { markLine, systemChange, type Mark } from '../../../src/store/marks.ts'

export const names = namesOf('http://localhost:8080/')
const profile = await loadProfile()
const catalogue = names.catalogue('swap')
const dcat = 'http://www.w3.org/ns/dcat#'
const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const title = '<http://purl.org/dc/terms/title>'

export const pause = (ms: number, signal?: AbortSignal) =>
  sleep(Math.min(ms, 20), undefined, signal ? { signal } : {}).catch(() => undefined)

/** As `pause`, but rejects with the signal's reason. */
const jobPause = (ms: number, signal: AbortSignal) => sleep(Math.min(ms, 20), undefined, { signal })

const linesOf = (id: string, text: string) => {
  const iri = `<${names.dataset(id)}>`
  return [`${iri} ${type} <${dcat}Dataset> .`, `${iri} ${title} "${text}"@en .`]
}
const linkOf = (id: string) => `<${catalogue}> <${dcat}dataset> <${names.dataset(id)}> .`

/** `version` stands for the profile: from 2 on datasets have a field less each time. */
export async function platform(directory: string, version: number, log: Log = logger('silent')) {
  const store = await embeddedStore({ directory: join(directory, 'store'), log })
  const index = await embeddedIndex({ directory: join(directory, 'search'), log })
  const fields = profile.dataset.fields.slice(0, profile.dataset.fields.length - version + 1)
  const start = async () => {
    const path = join(directory, 'jobs.sqlite')
    const jobs = new JobRunner({ path, log, now: Date.now, pause: jobPause })
    const running = await projection({
      store,
      index,
      names,
      jobs,
      log,
      pause,
      now: Date.now,
      vocabularies: 'shapes/vocabularies',
      profile: { ...profile, dataset: { ...profile.dataset, fields } },
    })
    const stop = async () => {
      await running.stop()
      await jobs.stop()
    }
    return { ...running, stop, jobs }
  }

  /** Datasets in the store, without marks: the state that an index is built from. */
  const populate = async (ids: readonly string[]) => {
    const head = [
      `<${catalogue}> ${type} <${dcat}Catalog> .`,
      `<${catalogue}> ${title} "Swap"@en .`,
    ]
    await store.write([
      { graph: catalogue, content: `${head.join('\n')}\n`, add: ids.map(linkOf) },
      ...ids.map((id) => ({
        graph: names.dataset(id),
        content: `${linesOf(id, `Dataset ${id}`).join('\n')}\n`,
      })),
    ])
  }
  /** As the repository writes, and waits. */
  const write = async (
    running: Awaited<ReturnType<typeof start>>,
    id: string,
    text: string,
    signal: AbortSignal,
  ) => {
    const mark: Mark = { resource: names.dataset(id), version: running.versions.next() }
    await store.write([
      { graph: mark.resource, content: `${linesOf(id, text).join('\n')}\n` },
      { graph: catalogue, add: [linkOf(id)] },
      systemChange({ add: [markLine('pending', mark)] }),
    ])
    running.onCommitted([mark])
    return running.waitUntilIndexed(mark, signal)
  }
  const search = async (word?: string, indices: readonly IndexName[] = ['dataset']) => {
    const tree =
      word === undefined ? { kind: 'all' as const } : { kind: 'term' as const, token: word }
    const { count, hits } = await index.search({
      indices,
      tree,
      filter: {},
      order: [],
      boosts: {},
      offset: 0,
      limit: 5,
      score: false,
    })
    return { count, hits }
  }
  const close = async () => {
    await index.close()
    await store.close()
  }
  return { store, index, start, populate, write, search, close }
}
