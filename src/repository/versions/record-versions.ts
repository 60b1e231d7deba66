/** Notes the versions of datasets, catalogues and resources of declared types by all writers, before the store has them. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { difference } from '../../rdf/difference.ts'
import { fromLines, joinLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import type { CanonicalBounds } from '../../rdf/canonical.ts'
import { keyIdOf, type App, type AppContext } from '../../http/context.ts'
import {
  lineDifference,
  type Author,
  type NotedChange,
  type StateChange,
  type VersionFile,
} from './version-file.ts'

/** Request or work that writes; asked when a write is noted, because a key is found after a request has begun. */
const authors = new AsyncLocalStorage<() => Author>()

const nobody: Author = { who: '', by: 'job', note: '' }

/** Runs work whose writes get a note in their versions. */
export const withNote = <T>(note: string, work: () => T): T => {
  const author = authors.getStore()
  return authors.run(() => ({ ...(author?.() ?? nobody), note }), work)
}

/** Paths by which harvesters write: they know datasets by their ids at the origin. */
const harvestPath = /\/datasets\/(?:origin|bulk)$/

const authorOf = (c: AppContext): Author => {
  const way = harvestPath.test(c.req.path) ? 'harvest' : 'api'
  const acting = c.get('actingBy')
  return { who: keyIdOf(c), by: acting === 'portal' ? 'desk' : (acting ?? way), note: '' }
}

/** Adds middleware by which writes know the key of their request; to be called before endpoints are mounted. */
export const noteAuthors = (app: App): void => {
  app.use('*', (c, next) => authors.run(() => authorOf(c), next))
}

type NotingContext = {
  readonly names: Names
  readonly canonical?: CanonicalBounds
  readonly history: VersionFile
  readonly onWriteFailed?: (error: unknown) => void
}

/** Makes the function that notes changes of records; other graphs are left out. It rejects with `store-unavailable`. */
export const versionNotes =
  (context: NotingContext) =>
  async (changes: readonly StateChange[]): Promise<void> => {
    const noted: NotedChange[] = []
    for (const change of changes)
      if (change.before !== change.after && isRecord(context.names, change.graph)) {
        const lines = lineDifference(change.before, change.after)
        noted.push({ ...change, ...lines, isMeant: await isMeant(context, change, lines) })
      }
    if (noted.length === 0) return
    try {
      context.history.note(noted, authors.getStore()?.() ?? nobody)
    } catch (error) {
      context.onWriteFailed?.(error)
      throw error
    }
  }

const isRecord = (names: Names, graph: string) =>
  names.idOf('dataset', graph) !== undefined ||
  names.idOf('catalogue', graph) !== undefined ||
  names.typedIdOf(graph) !== undefined

/** Whether more than the catalogue record and the names of blank nodes differs. */
async function isMeant(
  { names, canonical }: NotingContext,
  { graph, before, after }: StateChange,
  { removed, added }: Pick<NotedChange, 'removed' | 'added'>,
): Promise<boolean> {
  if (before === '' || after === '') return true
  const records = [`<${names.record('')}`, `<${names.genid(graph)}checksum> `]
  const [from, to] = [removed, added].map((lines) =>
    lines.filter((line) => !records.some((start) => line.startsWith(start))),
  )
  if (!from || !to || from.length !== to.length) return true
  if (![...from, ...to].every((line) => line.includes(names.genidPrefix))) return true
  // Nodes that both states name alike stay IRIs, so that only the renamed ones are compared.
  const isReplaced = (iri: string) => !(before.includes(`${iri}>`) && after.includes(`${iri}>`))
  const [former, present] = [from, to].map((lines) =>
    unskolemise(fromLines(joinLines(lines)), { prefix: names.genidPrefix, isReplaced }),
  )
  const result = await difference(former ?? [], present ?? [], canonical)
  return result.removed.length + result.added.length > 0
}
