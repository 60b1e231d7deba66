/** Commands about what the repository holds. */

import { Failure } from '../../errors.ts'
import type { Command } from '../command.ts'
import type { RepositoryPart } from '../console-parts.ts'
import { amount, columns, number, progressReporter } from '../text-output.ts'

export const recordCommands = (part: RepositoryPart, now: () => number): readonly Command[] => [
  ...(part.clear ? [clear(part.clear, now)] : []),
  ...(part.repair ? [repair(part.repair, part.repairAddresses)] : []),
  ...(part.restore ? [restore(part.restore)] : []),
  ...(part.tombstones ? [tombstones(part.tombstones)] : []),
  ...(part.installVocabularies ? [installVocabularies(part.installVocabularies)] : []),
  ...(part.vocabularies ? [vocabularies(part.vocabularies)] : []),
]

type Part<Name extends keyof RepositoryPart> = NonNullable<RepositoryPart[Name]>

const clear = (work: Part<'clear'>, now: () => number): Command => ({
  name: 'clear',
  words: '<catalogue>',
  least: 1,
  does: 'deletes all datasets of a catalogue and keeps the catalogue',
  lasts: true,
  options: { 'keep-index': { short: 'k', kind: 'flag', means: 'leaves the index as it is' } },
  run: async ({ words: [catalogue = ''], flag }, io, signal) => {
    const keepIndex = flag('keep-index')
    const done = await work({ catalogue, keepIndex }, progressReporter(io, now), signal)
    await io.say(`${amount(done, 'dataset')} of ${catalogue} deleted; restore brings them back`)
  },
})

const repair = (work: Part<'repair'>, addresses: RepositoryPart['repairAddresses']): Command => ({
  name: 'repair',
  words: addresses ? '<catalogue>|addresses' : '<catalogue>',
  least: 1,
  does: 'mends links without dataset and datasets without link, tells of ids that are used twice; addresses: restores access, download and page URLs that an earlier version replaced by its own names',
  lasts: true,
  options: {
    'dry-run': { kind: 'flag', means: 'of addresses: says what it would do, and does nothing' },
  },
  run: async ({ words: [what = ''], flag }, { say }, signal) => {
    const dryRun = flag('dry-run')
    if (dryRun && what !== 'addresses')
      throw new Failure('invalid-parameter', 'only "repair addresses" has a dry run')
    let found = 0
    const isAddresses = what === 'addresses' && addresses
    for await (const line of isAddresses ? addresses({ dryRun }, signal) : work(what, signal)) {
      found += 1
      await say(line)
    }
    if (found === 0) await say('nothing to repair')
  },
})

const restore = (work: Part<'restore'>): Command => ({
  name: 'restore',
  words: '<dataset|run>',
  least: 1,
  does: 'puts back one dataset, or all that a run removed',
  lasts: true,
  run: async ({ words: [id = ''] }, { say }, signal) => {
    const { restored, failed } = await work(id, signal)
    for (const one of failed) await say(`${one.id}: ${one.reason}`)
    await say(`${amount(restored, 'dataset')} restored`)
    if (failed.length > 0)
      throw new Failure('conflict', `${amount(failed.length, 'dataset')} could not be restored`)
  },
})

const tombstones = (work: Part<'tombstones'>): Command => ({
  name: 'tombstones',
  words: '[catalogue]',
  most: 1,
  does: 'lists what was deleted and can be restored',
  run: async ({ words: [catalogue] }, { say }, signal) => {
    let count = 0
    for await (const { id, catalogue: owner, deleted, run } of work(catalogue, signal)) {
      signal.throwIfAborted()
      count += 1
      await say(columns([[id, owner ?? '–', deleted, run ?? '']]).join(''))
    }
    await say(amount(count, 'tombstone'))
  },
})

const installVocabularies = (work: Part<'installVocabularies'>): Command => ({
  name: 'installVocabularies',
  words: '[id…]',
  most: 1000,
  does: 'loads the tables that come with the platform',
  lasts: true,
  run: async ({ words }, { say }, signal) => {
    for await (const line of work(words, signal)) await say(line)
  },
})

const vocabularies = (work: Part<'vocabularies'>): Command => ({
  name: 'vocabularies',
  does: 'lists the installed vocabularies with their sizes',
  run: async (_, { say }, signal) => {
    let count = 0
    for await (const { id, concepts } of work(signal)) {
      signal.throwIfAborted()
      count += 1
      await say(concepts === undefined ? id : `${id}  ${number(concepts)} concepts`)
    }
    await say(amount(count, 'vocabulary', 'vocabularies'))
  },
})
