/** An OpenDataSoft domain as the mapping knows it, for tests of the mapping alone. */

import {
  datasetReader,
  opendatasoftConfig,
} from '../../../../src/harvest/importers/opendatasoft-mapping.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import { commonConfig, readingOf } from '../golden-check.ts'

const domain = 'https://data.auenfeld.example'

export async function readDataset(config: object = {}) {
  const site = {
    root: domain,
    api: `${domain}/api/explore/v2.1`,
    authorities: await shippedAuthorities(),
    config: { ...commonConfig(domain), ...config, ...opendatasoftConfig.parse(config) },
  }
  return readingOf(site, datasetReader(site))
}
