/** Commands about search, metrics and the whole. */

import type { Json } from '../../text/json.ts'
import type { Command } from '../command.ts'
import type { MetricsPart, Parts, SearchPart } from '../console-parts.ts'
import { amount, columns } from '../text-output.ts'

export const searchCommands = ({ sitemap, boosts, facets }: SearchPart): readonly Command[] => [
  ...(sitemap ? [sitemapCommand(sitemap)] : []),
  ...(boosts ? [boostCommand(boosts)] : []),
  ...(facets ? [facetsCommand(facets)] : []),
]

const sitemapCommand = (work: NonNullable<SearchPart['sitemap']>): Command => ({
  name: 'sitemap',
  does: 'builds the sitemap again',
  lasts: true,
  run: async (_, { say }, signal) => say(amount(await work(signal), 'address', 'addresses')),
})

const boostCommand = (boosts: NonNullable<SearchPart['boosts']>): Command => ({
  name: 'boost',
  does: 'shows how much each field weighs in the ranking',
  run: async (_, { say }) => {
    const rows = Object.entries(boosts()).map(([field, weight]) => [field, String(weight)])
    for (const line of columns(rows)) await say(line)
  },
})

const facetsCommand = (facets: NonNullable<SearchPart['facets']>): Command => ({
  name: 'facets',
  does: 'shows the facets of each index',
  run: async (_, { say }) => {
    for (const line of columns(facets().map(({ index, id }) => [index, id]))) await say(line)
  },
})

export const metricsCommands = ({ refresh }: MetricsPart): readonly Command[] => [
  {
    name: 'refresh',
    words: '[catalogue]',
    most: 1,
    does: 'brings the metrics cache up to the store',
    lasts: true,
    run: async ({ words: [catalogue] }, { say }, signal) => {
      await refresh(catalogue, signal)
      await say('refreshed')
    },
  },
]

export const statusCommand = (status: Parts['status']): Command => ({
  name: 'status',
  does: 'services, store, engine, drift and queues',
  run: async (_, { say }, signal) => {
    for (const [name, state] of Object.entries(await status(signal)))
      await say(columns([[name.padEnd(12), told(state)]]).join(''))
  },
})

const told = (state: Json): string => (typeof state === 'string' ? state : JSON.stringify(state))
