/** Commands about repository, vocabularies, indices, search, metrics and the state of the platform. */

import { Failure } from '../errors.ts'
import type { Command } from './command.ts'
import type { MetricsPart, Parts, RepositoryPart, SearchPart } from './console-parts.ts'
import { amount, bar, columns, number } from './text-output.ts'

/** Commands of the repository. Work on records goes on when the reader leaves, so that it is not left half done. */
export const recordCommands = (part: RepositoryPart): readonly Command[] => [
  {
    name: 'index',
    aliases: ['sync'],
    words: '[catalogue…]',
    summary: 'projects catalogues again into the present index; all of them when none is named',
    outlivesReader: true,
    run: async ({ words }, { progress, signal }) =>
      `${amount(await part.index(words, bar(progress), signal), 'record')} projected`,
  },
  {
    name: 'reindex',
    words: '[index…]',
    summary: 'builds a second index and swaps it in',
    outlivesReader: true,
    run: async ({ words }, { progress, signal }) =>
      `${amount(await part.reindex(words, bar(progress), signal), 'record')} indexed`,
  },
  {
    name: 'reconcile',
    summary: 'compares store and index, repairs the index and prints the drift',
    outlivesReader: true,
    options: { 'dry-run': { type: 'boolean', meaning: 'compares and repairs nothing' } },
    run: async ({ flag }, { progress, signal }) => {
      const drift = await part.reconcile({ dryRun: flag('dry-run') }, bar(progress), signal)
      const { compared, missing, stale, extra, repaired } = drift
      return [
        `${amount(compared, 'record')} compared: ${number(missing)} missing, ${number(stale)} stale, ${number(extra)} too many`,
        `drift ${number(missing + stale + extra)}, repaired ${number(repaired)}`,
      ]
    },
  },
  clear(part),
  repair(part),
  ...deletionCommands(part),
  ...vocabularyCommands(part),
  {
    name: 'pending',
    summary: 'shows how many records wait for the index, and for how long',
    run: async (_, { signal }) => {
      const { count, oldest } = await part.pending(signal)
      const age = oldest === undefined ? '' : `, the oldest for ${number(Math.round(oldest))} s`
      return `${amount(count, 'record')} pending${age}`
    },
  },
]

/** Command `clear`; it keeps tombstones, so that `restore` can bring datasets back. */
const clear = (part: RepositoryPart): Command => ({
  name: 'clear',
  words: '<catalogue>',
  summary: 'deletes all datasets of a catalogue and keeps the catalogue',
  outlivesReader: true,
  options: { 'keep-index': { short: 'k', type: 'boolean', meaning: 'leaves the index as it is' } },
  run: async ({ words: [catalogue = ''], flag }, { progress, signal }) => {
    const options = { catalogue, keepIndex: flag('keep-index') }
    const deleted = await part.clear(options, bar(progress), signal)
    return `${amount(deleted, 'dataset')} of ${catalogue} deleted; restore brings them back`
  },
})

const repair = (part: RepositoryPart): Command => ({
  name: 'repair',
  words: '<catalogue>|addresses|store',
  summary:
    'mends links without dataset and datasets without link, lists ids that are used twice; addresses: restores access, download and page URLs that an earlier version replaced by its own names; store: removes values of datasets that stayed beside their replacement',
  outlivesReader: true,
  options: {
    'dry-run': {
      type: 'boolean',
      meaning: 'of addresses and store: says what it would do, and does nothing',
    },
  },
  async *run({ words: [target = ''], flag }, { signal }) {
    const dryRun = flag('dry-run')
    const { repairAddresses: addresses, repairStore: store } = part
    const repairSpecial =
      target === 'addresses' ? addresses : target === 'store' ? store : undefined
    if (dryRun && !repairSpecial)
      throw new Failure(
        'invalid-parameter',
        'only "repair addresses" and "repair store" have a dry run',
      )
    const lines = repairSpecial ? repairSpecial({ dryRun }, signal) : part.repair(target, signal)
    let count = 0
    for await (const line of lines) {
      count += 1
      yield line
    }
    if (count === 0) yield 'nothing to repair'
  },
})

/** Commands `restore`, for a dataset or all that a run removed, and `tombstones`. */
const deletionCommands = (part: RepositoryPart): readonly Command[] => [
  {
    name: 'restore',
    words: '<dataset|run>',
    summary: 'puts back one dataset, or all that a run removed',
    outlivesReader: true,
    async *run({ words: [id = ''] }, { signal }) {
      const { restored, failed } = await part.restore(id, signal)
      for (const failure of failed) yield `${failure.id}: ${failure.reason}`
      yield `${amount(restored, 'dataset')} restored`
      if (failed.length > 0)
        throw new Failure('conflict', `${amount(failed.length, 'dataset')} could not be restored`)
    },
  },
  {
    name: 'tombstones',
    words: '[catalogue]',
    summary: 'lists what was deleted and can be restored',
    async *run({ words: [catalogue] }, { signal }) {
      let count = 0
      for await (const tombstone of part.tombstones(catalogue, signal)) {
        count += 1
        yield [tombstone.id, tombstone.catalogue ?? '–', tombstone.deleted].join('  ')
      }
      yield amount(count, 'tombstone')
    },
  },
]

const vocabularyCommands = (part: RepositoryPart): readonly Command[] => [
  {
    name: 'installVocabularies',
    words: '[id…]',
    summary: 'loads the tables that come with the platform',
    outlivesReader: true,
    run: ({ words }, { signal }) => part.installVocabularies(words, signal),
  },
  {
    name: 'vocabularies',
    summary: 'lists the installed vocabularies with their sizes',
    async *run(_, { signal }) {
      let count = 0
      for await (const { id, concepts } of part.vocabularies(signal)) {
        count += 1
        yield concepts === undefined ? id : `${id}  ${number(concepts)} concepts`
      }
      yield amount(count, 'vocabulary', 'vocabularies')
    },
  },
]

/** Commands of the search service. */
export const searchCommands = (part: SearchPart): readonly Command[] => [
  {
    name: 'sitemap',
    summary: 'builds the sitemap again',
    outlivesReader: true,
    run: async (_, { signal }) => amount(await part.sitemap(signal), 'address', 'addresses'),
  },
  {
    name: 'boost',
    summary: 'shows how much each field weighs in the ranking',
    run: () =>
      columns(Object.entries(part.boosts()).map(([field, weight]) => [field, String(weight)])),
  },
  {
    name: 'facets',
    summary: 'shows the facets of each index',
    run: () => columns(part.facets().map(({ index, id }) => [index, id])),
  },
]

/** Command of the metrics cache. */
export const metricsCommands = ({ refresh }: MetricsPart): readonly Command[] => [
  {
    name: 'refresh',
    words: '[catalogue]',
    summary: 'brings the metrics cache up to the store',
    outlivesReader: true,
    run: async ({ words: [catalogue] }, { signal }) => {
      await refresh(catalogue, signal)
      return 'refreshed'
    },
  },
]

/** Command `status`. */
export const statusCommand = (status: Parts['status']): Command => ({
  name: 'status',
  summary: 'services, store, engine, drift and queues',
  run: async (_, { signal }) =>
    Object.entries(await status(signal)).map(
      ([name, state]) =>
        `${name.padEnd(12)}  ${typeof state === 'string' ? state : JSON.stringify(state)}`,
    ),
})
