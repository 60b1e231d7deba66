/** A portal of each kind that the platform harvests, with records that can be changed. */

import type { JsonObject } from '../../../src/text/json.ts'
import { arcgisPortal } from '../../support/portals/arcgis-portal.ts'
import { ckanPortal } from '../../support/portals/ckan-portal.ts'
import { dkanPortal } from '../../support/portals/dkan-portal.ts'
import { odsPortal } from '../../support/portals/ods-portal.ts'
import { rdfPortal } from '../../support/portals/rdf-portal.ts'
import { socrataPortal } from '../../support/portals/socrata-portal.ts'
import { sparqlPortal } from '../../support/portals/sparql-portal.ts'
import { udataPortal } from '../../support/portals/udata-portal.ts'

type Shown = { readonly id: string; readonly title: string }

type Site = {
  show(records: readonly Shown[]): void | Promise<void>
  close(): Promise<void>
}

export type Place = { readonly site: Site; readonly config: JsonObject }

/** By the name of the importer's segment; not yet started. */
export const places: Readonly<Record<string, () => Promise<Place>>> = {
  rdf: async () => {
    const site = await rdfPortal([], { paging: 'next' })
    return { site, config: { address: site.address } }
  },
  sparql: async () => {
    const site = await sparqlPortal([])
    return { site, config: { address: site.address } }
  },
  ckan: async () => {
    const site = await ckanPortal()
    return { site, config: { address: site.address } }
  },
  dkan: async () => {
    const site = await dkanPortal()
    return { site, config: { address: site.address, version: '2' } }
  },
  udata: async () => {
    const site = await udataPortal()
    return { site, config: { address: site.address } }
  },
  opendatasoft: async () => {
    const site = await odsPortal([], { generation: '2.1' })
    return { site, config: { address: site.url } }
  },
  socrata: async () => {
    const site = await socrataPortal([])
    return { site, config: { address: site.url, only: 'dataset' } }
  },
  arcgis: async () => {
    const site = await arcgisPortal([], { feeds: [] })
    return { site, config: { address: site.url, feed: 'records' } }
  },
}
