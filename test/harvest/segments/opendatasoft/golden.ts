/** An OpenDataSoft domain as the mapping knows it, for tests of the mapping alone. */

import {
  datasetReader,
  opendatasoftConfig,
} from '../../../../src/harvest/importers/opendatasoft.ts'
import { shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import { commonConfig } from '../golden-check.ts'

const domain = 'https://data.auenfeld.example'

export const readDataset = async (config: object = {}) =>
  datasetReader({
    root: domain,
    api: `${domain}/api/explore/v2.1`,
    authorities: await shippedAuthorities(),
    config: { ...commonConfig(domain), ...config, ...opendatasoftConfig.parse(config) },
  })
