/** OpenDataSoft importer: the contract of all importers, for both generations of the API. */

import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { opendatasoftImporter } from '../../../../src/harvest/importers/opendatasoft.ts'
import { describeImporter } from '../../../contracts/importer.contract.ts'
import { odsPortal } from '../../../support/portals/ods-portal.ts'

for (const generation of ['2.1', '2.0'] as const)
  describeImporter(`OpenDataSoft ${generation}`, async () => {
    const portal = await odsPortal([], { generation })
    return {
      portal,
      kind: (deps) => importerSegment(opendatasoftImporter, deps),
      config: { address: `${portal.url}/explore/?sort=modified`, pageSize: 2 },
      show: (records) => portal.show(records),
      declare: (total) => portal.declare(() => total(1)),
      isPage: ({ url }, page) => {
        const { pathname, searchParams: query } = new URL(url)
        const from = query.get(generation === '2.1' ? 'offset' : 'start')
        return (
          pathname.includes(generation) === (generation === '2.1') &&
          Number(from) === Math.max(0, page * 2 - (generation === '2.1' ? 3 : 2))
        )
      },
      envelopes: [
        { kind: 'envelope', body: '{"error_code":"ODSQLError","message":"no"}' },
        { kind: 'envelope', body: '{"errorcode":10002,"error":"Too many requests"}' },
        { kind: 'envelope', body: '[]' },
      ],
    }
  })
