/** One realistic record of each platform as its importer maps it. */

import { readFileSync } from 'node:fs'
import { packageReader } from '../../../../src/harvest/importers/ckan-mapping.ts'
import { type PodOptions, podReader } from '../../../../src/harvest/importers/datajson-mapping.ts'
import { udataEntry } from '../../../../src/harvest/importers/udata.ts'
import { mappedEntry } from '../../../../src/harvest/importers/portal.ts'
import { importConfig } from '../../../../src/harvest/importers/import-config.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import { fieldsOf } from '../../../../src/vocabularies/loose-values.ts'
import type { Fields } from '../../../../src/text/json.ts'
import type { MappedRecord } from '../../../../src/harvest/mapping/record.ts'

const common = importConfig.parse({ address: 'https://portal.example/', catalogue: 'city' })
const root = 'https://portal.example'

export type MappingOptions = {
  readonly language?: string
  readonly dateOrder?: 'dmy' | 'mdy'
}

/** What an importer makes of the fields of a record, by platform. */
export async function mappings(
  more: MappingOptions = {},
): Promise<Readonly<Record<string, (fields: Fields) => MappedRecord>>> {
  const authorities = await shippedAuthorities()
  const portal = (language?: string) => ({
    root,
    config: { ...common, language, identifier: 'id' as const, ...more },
    output: 'dcat-ap' as const,
    authorities,
    licence: () => undefined,
  })
  const site = { root, config: { ...common, language: 'fr', skipHarvested: true }, authorities }
  const plain = { root, config: common, authorities }
  const pods = (options: PodOptions) => (fields: Fields) =>
    mappedEntry(plain, podReader(plain, options)(fields))
  const ckan = (isDkan: boolean) => (fields: Fields) =>
    mappedEntry(portal('en'), packageReader({ ...portal('en'), isDkan })(fields))
  return {
    ckan: ckan(false),
    'dkan-1': ckan(true),
    'dkan-2': pods({ pageOf: () => `${root}/dataset/x`, idIn: (identifier) => identifier }),
    'dcat-us-3': pods({ pageOf: () => `${root}/data.json#x` }),
    udata: (fields) => mappedEntry(site, udataEntry(fields, { ...site, licence: () => undefined })),
  }
}

export const sampleOf = (platform: string): Fields =>
  fieldsOf(JSON.parse(readFileSync(new URL(`${platform}.json`, import.meta.url), 'utf8')))

/** The record of each platform, mapped. */
export async function goldenQuads() {
  const all = Object.entries(await mappings())
  return Object.fromEntries(all.map(([name, map]) => [name, map(sampleOf(name)).quads()]))
}
