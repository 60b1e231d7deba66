/** A portal as the mapping of its records sees it, whatever its platform, and what the importers of JSON sources share. */

import { Failure } from '../../errors.ts'
import { type Authorities, shippedAuthorities } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf } from '../../vocabularies/loose-values.ts'
import { MappedRecord } from '../mapping/record.ts'
import type { MappingConfig, RecordOptions } from '../mapping/record-options.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportRun } from './importer.ts'

/** What is the same for all records of a run. */
export type Portal<Config = object> = {
  /** Without a slash at its end. */
  readonly root: string
  readonly config: Config & ImportConfig & MappingConfig
  readonly authorities: Authorities
  /** What the portal knows of a licence that its records name. */
  readonly licence: (id: string) => LicenceNames | undefined
}

export const portalOf = async <Config>(
  { config }: ImportRun<Config & MappingConfig>,
  root: string,
  licence: Portal['licence'] = () => undefined,
): Promise<Portal<Config>> => ({ root, config, authorities: await shippedAuthorities(), licence })

/** A new record of a portal. `page` is its IRI unless the source tells another one. */
export function recordIn(
  { root, config, authorities }: Portal,
  page: string,
  more: Partial<RecordOptions> = {},
): MappedRecord {
  const { timezone, dateOrder, language } = config
  const given = { timezone, dateOrder, language, authorities }
  return new MappedRecord({ ...given, fallbackIri: page, base: `${root}/`, ...more })
}

/** The root of a site without a slash at its end, and without what comes after the root in addresses of its pages. */
export function rootOf(address: string, below: RegExp): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(below, '').replace(/\/+$/, '')
}

/** An address with parameters; those without a value are left out. */
export function addressWith(
  address: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? address : `${address}?${query.toString()}`
}

type LicenceList = {
  readonly find: (id: string) => LicenceNames | undefined
  /** Asks for the list once, when a record of the page needs it. */
  readonly learn: (records: readonly unknown[]) => Promise<void>
}

/**
 * The licences that a portal knows: title and address for the ids that its records name. `needs`: whether a record names a
 * licence and does not say enough of it. `ask` gives the list, or whatever the portal answers in its place: the list is a
 * convenience, and a portal that does not give it is harvested without.
 */
export function licenceList(
  needs: (record: unknown) => boolean,
  ask: () => Promise<unknown>,
): LicenceList {
  let known: ReadonlyMap<unknown, LicenceNames> | undefined
  return {
    find: (id) => known?.get(id),
    learn: async (records) => {
      if (known || !records.some(needs)) return
      const all = await ask().catch((error: unknown) => {
        if (error instanceof Failure) return []
        throw error
      })
      known = new Map(
        listOf(all)
          .map(fieldsOf)
          .map(({ id, url, title }) => [id, { id, url, title }]),
      )
    },
  }
}
