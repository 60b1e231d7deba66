/** uData importer: the contract of all importers. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { udataImporter } from '../../../../src/harvest/importers/udata.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { udataPortal } from '../../../support/portals/udata-portal.ts'

describeImporter('uData', async () => {
  const portal = await udataPortal()
  return {
    portal,
    kind: (deps) => importerSegment(udataImporter(), deps),
    config: { address: portal.address, pageSize: 2 },
    show: (records) => portal.show(records),
    declare: (total) => portal.declare(total),
    isPage: ({ url }, page) => new URL(url).searchParams.get('page') === String(page),
    envelopes: [
      { kind: 'envelope', body: '{"message":"Internal error"}' },
      { kind: 'envelope', body: '{"error":"down"}' },
    ],
  }
})
