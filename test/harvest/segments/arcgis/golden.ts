/** An ArcGIS Hub site as the mapping knows it, for tests of the mapping alone. */

import { arcgisConfig } from '../../../../src/harvest/importers/arcgis.ts'
import { itemIn, mapFeature, mendEntry } from '../../../../src/harvest/importers/arcgis-mapping.ts'
import { podReader } from '../../../../src/harvest/importers/datajson-mapping.ts'
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
  return podReader({ ...(await siteOf()), pageOf, idIn: itemIn, mend: mendEntry })(fields).map()
}

export const mappedFeature = async (fields: Fields) => mapFeature(fields, await siteOf(), item)
