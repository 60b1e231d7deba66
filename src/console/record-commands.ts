/** Commands about repository, indices, search and metrics. */

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
    does: 'projects catalogues again into the present index; all of them when none is named',
    lasts: true,
    run: async ({ words }, { progress, signal }) =>
      `${amount(await part.index(words, bar(progress), signal), 'record')} projected`,
  },
  {
    name: 'reindex',
    words: '[index…]',
    does: 'builds a second index and swaps it in',
    lasts: true,
    run: async ({ words }, { progress, signal }) =>
      `${amount(await part.reindex(words, bar(progress), signal), 'record')} indexed`,
  },
  {
    name: 'reconcile',
    does: 'compares store and index, repairs the index and prints the drift',
    lasts: true,
    options: { 'dry-run': { type: 'boolean', means: 'compares and repairs nothing' } },
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
    does: 'shows how many records wait for the index, and for how long',
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
  does: 'deletes all datasets of a catalogue and keeps the catalogue',
  lasts: true,
  options: { 'keep-index': { short: 'k', type: 'boolean', means: 'leaves the index as it is' } },
  run: async ({ words: [catalogue = ''], flag }, { progress, signal }) => {
    const options = { catalogue, keepIndex: flag('keep-index') }
    const done = await part.clear(options, bar(progress), signal)
    return `${amount(done, 'dataset')} of ${catalogue} deleted; restore brings them back`
  },
})

const repair = (part: RepositoryPart): Command => ({
  name: 'repair',
  words: '<catalogue>|addresses|store',
  does: 'mends links without dataset and datasets without link, lists ids that are used twice; addresses: restores access, download and page URLs that an earlier version replaced by its own names; store: removes values of datasets that stayed beside their replacement',
  lasts: true,
  options: {
    'dry-run': {
      type: 'boolean',
      means: 'of addresses and store: says what it would do, and does nothing',
    },
  },
  async *run({ words: [what = ''], flag }, { signal }) {
    const dryRun = flag('dry-run')
    const { repairAddresses: addresses, repairStore: store } = part
    const special = what === 'addresses' ? addresses : what === 'store' ? store : undefined
    if (dryRun && !special)
      throw new Failure(
        'invalid-parameter',
        'only "repair addresses" and "repair store" have a dry run',
      )
    const lines = special ? special({ dryRun }, signal) : part.repair(what, signal)
    let count = 0
    for await (const line of lines) {
      count += 1
      yield line
    }
    if (count === 0) yield 'nothing to repair'
  },
})

/** Commands `restore` and `tombstones`. */
const deletionCommands = (part: RepositoryPart): readonly Command[] => [
  {
    name: 'restore',
    words: '<dataset|run>',
    does: 'puts back one dataset, or all that a run removed',
    lasts: true,
    async *run({ words: [id = ''] }, { signal }) {
      const { restored, failed } = await part.restore(id, signal)
      for (const one of failed) yield `${one.id}: ${one.reason}`
      yield `${amount(restored, 'dataset')} restored`
      if (failed.length > 0)
        throw new Failure('conflict', `${amount(failed.length, 'dataset')} could not be restored`)
    },
  },
  {
    name: 'tombstones',
    words: '[catalogue]',
    does: 'lists what was deleted and can be restored',
    async *run({ words: [catalogue] }, { signal }) {
      let count = 0
      for await (const one of part.tombstones(catalogue, signal)) {
        count += 1
        yield [one.id, one.catalogue ?? '–', one.deleted].join('  ')
      }
      yield amount(count, 'tombstone')
    },
  },
]

const vocabularyCommands = (part: RepositoryPart): readonly Command[] => [
  {
    name: 'installVocabularies',
    words: '[id…]',
    does: 'loads the tables that come with the platform',
    lasts: true,
    run: ({ words }, { signal }) => part.installVocabularies(words, signal),
  },
  {
    name: 'vocabularies',
    does: 'lists the installed vocabularies with their sizes',
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
    does: 'builds the sitemap again',
    lasts: true,
    run: async (_, { signal }) => amount(await part.sitemap(signal), 'address', 'addresses'),
  },
  {
    name: 'boost',
    does: 'shows how much each field weighs in the ranking',
    run: () =>
      columns(Object.entries(part.boosts()).map(([field, weight]) => [field, String(weight)])),
  },
  {
    name: 'facets',
    does: 'shows the facets of each index',
    run: () => columns(part.facets().map(({ index, id }) => [index, id])),
  },
]

/** Command of the metrics cache. */
export const metricsCommands = ({ refresh }: MetricsPart): readonly Command[] => [
  {
    name: 'refresh',
    words: '[catalogue]',
    does: 'brings the metrics cache up to the store',
    lasts: true,
    run: async ({ words: [catalogue] }, { signal }) => {
      await refresh(catalogue, signal)
      return 'refreshed'
    },
  },
]

/** Command `status`. */
export const statusCommand = (status: Parts['status']): Command => ({
  name: 'status',
  does: 'services, store, engine, drift and queues',
  run: async (_, { signal }) =>
    Object.entries(await status(signal)).map(
      ([name, state]) =>
        `${name.padEnd(12)}  ${typeof state === 'string' ? state : JSON.stringify(state)}`,
    ),
})
