/** One realistic record of each platform as its importer maps it. */

import { readFileSync } from 'node:fs'
import { mappedPackage } from '../../../../src/harvest/importers/ckan-mapping.ts'
import { podReader } from '../../../../src/harvest/importers/datajson-mapping.ts'
import { mappedDataset } from '../../../../src/harvest/importers/udata.ts'
import { importConfig } from '../../../../src/harvest/importers/import-config.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import { fieldsOf } from '../../../../src/vocabularies/loose-values.ts'
import type { Fields } from '../../../../src/text/json.ts'
import { MappedRecord } from '../../../../src/harvest/mapping/record.ts'

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
  return {
    ckan: (fields) => mappedPackage(fields, portal('en')),
    'dkan-1': (fields) => mappedPackage(fields, { ...portal('en'), isDkan: true }),
    'dkan-2': (fields) =>
      podReader({
        root,
        config: common,
        authorities,
        pageOf: () => `${root}/dataset/x`,
        idIn: (identifier) => identifier,
      })(fields).map(),
    'dcat-us-3': (fields) =>
      podReader({ root, config: common, authorities, pageOf: () => `${root}/data.json#x` })(
        fields,
      ).map(),
    udata: (fields) => mappedDataset(fields, { ...site, licence: () => undefined }),
  }
}

export const sampleOf = (platform: string): Fields =>
  fieldsOf(JSON.parse(readFileSync(new URL(`${platform}.json`, import.meta.url), 'utf8')))

/** The record of each platform, mapped. */
export async function goldenQuads() {
  const all = Object.entries(await mappings())
  return Object.fromEntries(all.map(([name, map]) => [name, map(sampleOf(name)).quads()]))
}
