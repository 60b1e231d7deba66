/** A Socrata domain as the mapping knows it, for tests of the mapping alone. */

import { socrataConfig } from '../../../../src/harvest/importers/socrata-mapping.ts'
import { assetReader } from '../../../../src/harvest/importers/socrata-mapping.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import { commonConfig, readingOf } from '../golden-check.ts'

const host = 'data.rivers.example'

export async function readAsset(config: object = {}) {
  const site = {
    root: `https://${host}`,
    authorities: await shippedAuthorities(),
    config: { ...commonConfig(`https://${host}`), ...socrataConfig.parse(config) },
  }
  return readingOf(site, assetReader(site))
}
