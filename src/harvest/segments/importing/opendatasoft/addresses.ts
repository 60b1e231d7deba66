/** The addresses of an OpenDataSoft domain. */
import type { ImportConfig } from '../../import-config.ts'
import type { OpendatasoftConfig } from './config.ts'

type Config = OpendatasoftConfig & ImportConfig

/** The two generations of the API, newest first. */
export const generations = [
  { path: '/api/explore/v2.1', count: 'limit', from: 'offset' },
  { path: '/api/v2', count: 'rows', from: 'start' },
] as const
export type Generation = (typeof generations)[number]

/** Root of the domain without a slash at its end: an address of its API or of its pages is cut there. */
export function domainOf(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(/\/(?:api|explore)(?:\/.*)?$/, '').replace(/\/+$/, '')
}

export type Portion = { readonly size: number; readonly from: number }

/** Address of a part of the list of datasets, in an order that renaming and editing do not change much. */
export function listAddress(
  config: Config,
  { path, count, from }: Generation,
  portion: Portion,
  since?: Date,
): string {
  const query = wish(config, since)
  query.set(count, String(portion.size))
  query.set(from, String(portion.from))
  return `${domainOf(config.address)}${path}/catalog/datasets?${query.toString()}`
}

/** Address of the whole list as one document, which has no limit. */
export function exportAddress(config: Config, { path, count }: Generation, since?: Date): string {
  const query = wish(config, since)
  query.set(count, '-1')
  return `${domainOf(config.address)}${path}/catalog/exports/json?${query.toString()}`
}

function wish(config: Config, since: Date | undefined): URLSearchParams {
  const { filters = {}, refine = [], exclude = [] } = config
  const query = new URLSearchParams({
    order_by: 'dataset_id',
    timezone: 'UTC',
    include_app_metas: 'true',
    ...filters,
  })
  const changed = since && `metadata_processed >= date'${since.toISOString()}'`
  const conditions = [config.where, filters['where'], changed].filter((one) => one !== undefined)
  if (conditions.length > 1) query.set('where', conditions.map((one) => `(${one})`).join(' and '))
  else if (conditions[0] !== undefined) query.set('where', conditions[0])
  for (const value of [refine].flat()) query.append('refine', value)
  for (const value of [exclude].flat()) query.append('exclude', value)
  return query
}
