/** Commands that bring the index up to the store. */

import type { Command } from '../command.ts'
import type { RepositoryPart } from '../console-parts.ts'
import { amount, number, progressReporter } from '../text-output.ts'

export const indexCommands = (part: RepositoryPart, now: () => number): readonly Command[] => [
  ...(part.index ? [index(part.index, now)] : []),
  ...(part.reindex ? [reindex(part.reindex, now)] : []),
  ...(part.reconcile ? [reconcile(part.reconcile, now)] : []),
  ...(part.pending ? [pending(part.pending)] : []),
]

type Part<Name extends keyof RepositoryPart> = NonNullable<RepositoryPart[Name]>

const index = (work: Part<'index'>, now: () => number): Command => ({
  name: 'index',
  aliases: ['sync'],
  words: '[catalogue…]',
  most: 1000,
  does: 'projects catalogues again into the present index; all of them when none is named',
  lasts: true,
  run: async ({ words }, io, signal) =>
    io.say(`${amount(await work(words, progressReporter(io, now), signal), 'record')} projected`),
})

const reindex = (work: Part<'reindex'>, now: () => number): Command => ({
  name: 'reindex',
  words: '[index…]',
  most: 1000,
  does: 'builds a second index and swaps it in',
  lasts: true,
  run: async ({ words }, io, signal) =>
    io.say(`${amount(await work(words, progressReporter(io, now), signal), 'record')} indexed`),
})

const reconcile = (work: Part<'reconcile'>, now: () => number): Command => ({
  name: 'reconcile',
  does: 'compares store and index, repairs the index and prints the drift',
  lasts: true,
  options: { 'dry-run': { kind: 'flag', means: 'compares and repairs nothing' } },
  run: async ({ flag }, io, signal) => {
    const drift = await work({ dryRun: flag('dry-run') }, progressReporter(io, now), signal)
    const { compared, missing, stale, extra, repaired } = drift
    await io.say(
      `${amount(compared, 'record')} compared: ${number(missing)} missing, ${number(stale)} stale, ${number(extra)} too many`,
    )
    await io.say(`drift ${number(missing + stale + extra)}, repaired ${number(repaired)}`)
  },
})

const pending = (work: Part<'pending'>): Command => ({
  name: 'pending',
  does: 'tells how many records wait for the index, and for how long',
  run: async (_, { say }, signal) => {
    const { count, oldest } = await work(signal)
    const age = oldest === undefined ? '' : `, the oldest for ${number(Math.round(oldest))} s`
    await say(`${amount(count, 'record')} pending${age}`)
  },
})
