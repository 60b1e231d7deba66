/** ArcGIS Hub importer: the contract of all importers, for records; feeds have no pages. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { arcgisImporter } from '../../../../src/harvest/importers/arcgis.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { arcgisPortal } from '../../../support/portals/arcgis-portal.ts'

describeImporter('ArcGIS Hub records', async () => {
  const portal = await arcgisPortal([], { feeds: [] })
  return {
    portal,
    kind: (deps) => importerSegment(arcgisImporter, deps),
    config: { address: `${portal.url}/search`, feed: 'records', pageSize: 2 },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(() => total(1)),
    isPage: ({ url }, page) =>
      Number(new URL(url).searchParams.get('startindex')) === Math.max(1, page * 2 - 2),
    envelopes: [{ kind: 'envelope', body: '{"message":"no","error":"Bad","statusCode":500}' }],
  }
})
