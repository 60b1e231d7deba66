/** An ArcGIS Hub site as the mapping knows it, for tests of the mapping alone. */

import { arcgisConfig } from '../../../../src/harvest/importers/arcgis.ts'
import {
  featureValues,
  itemIn,
  repairEntry,
} from '../../../../src/harvest/importers/arcgis-mapping.ts'
import { podReader } from '../../../../src/harvest/importers/datajson-mapping.ts'
import { mappedEntry as mapped } from '../../../../src/harvest/importers/portal.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import type { Fields } from '../../../../src/text/json.ts'
import { commonConfig } from '../golden-check.ts'

const root = 'https://hub.city.example'
const item = '0f6a3b9c2d1e4f5a8b7c6d5e4f3a2b1c_3'

async function siteOf() {
  const config = { ...commonConfig(root), ...arcgisConfig.parse({}) }
  return { root, config, authorities: await shippedAuthorities() }
}

export async function mappedEntry(fields: Fields) {
  const pageOf = (id: string) => `${root}/datasets/${id}`
  const site = await siteOf()
  return mapped(site, podReader(site, { pageOf, idIn: itemIn, repair: repairEntry })(fields))
}

export async function mappedFeature(fields: Fields) {
  const site = await siteOf()
  const recordOptions = { fallbackIri: `${root}/datasets/${item}` }
  const entry = { sourceId: item, title: '', stableFields: fields, recordOptions }
  return mapped(site, { ...entry, values: () => featureValues(fields, site, item) })
}
