/** Lists of the cache as a service, and single datasets. */

import { describe, expect, it } from 'vitest'
import { unreachableSchema } from '../../../src/metrics/figures/cache-contract.ts'
import { served } from './served.ts'

describe('lists', () => {
  it('of violations are paged, in the language that is asked for', async () => {
    const { get, results } = await served()
    const { body } = await get('/catalogues/city/violations?limit=1&locale=de')
    expect(body.result.count).toBe(2)
    expect(await results('/catalogues/city/violations?offset=1&locale=de')).toEqual([
      {
        resultPath: 'http://www.w3.org/ns/dcat#byteSize',
        resultMessage: 'Kein Datentyp',
        value: '12',
        severity: 'Violation',
        title: 'Pegel',
        reference: 'http://localhost:8080/set/data/a',
        'dataset-id': 'a',
      },
    ])
    expect(await results('/catalogues/city/violations?limit=1')).toMatchObject([
      { resultPath: null, resultMessage: null, value: null, severity: 'Warning', title: 'Gauges' },
    ])
    expect((await get('/catalogues/city/violations/count')).body).toEqual({
      success: true,
      result: { count: 2 },
    })
    expect((await get('/catalogues/empty/violations')).body.result).toEqual({
      count: 0,
      results: [],
    })
  })

  it('of URLs that were not there say which, where and when', async () => {
    const { get } = await served()
    const { body } = await get('/catalogues/city/distributions/reachability')
    expect(body.result.count).toBe(2)
    const promised = Object.keys(unreachableSchema.shape)
    expect(Object.keys(body.result.results[0] ?? {}).toSorted()).toEqual(promised.toSorted())
    expect(body.result.results[0]).toEqual({
      reference: 'http://localhost:8080/set/data/a',
      'dataset-id': 'a',
      title: 'Gauges',
      'distribution-id': 'a-2',
      'distribution-uri': 'http://localhost:8080/set/distribution/a-2',
      type: 'accessUrl',
      url: 'https://one.example.org/x',
      statusCode: 404,
      checked: '2026-11-21T10:00:00Z',
    })
  })
})

const link = (type: string, address: string, statusCode: number) => ({
  type,
  url: `https://${address}`,
  statusCode,
  checked: '2026-11-21T10:00:00Z',
  failingSince: statusCode === 404 ? '2026-11-01T10:00:00Z' : null,
})

describe('single datasets', () => {
  it('are read from their graph, dimension by dimension', async () => {
    const { results, ask } = await served({ isRefreshed: false })
    const [found] = await results('/datasets/a?locale=de')
    const { points, ...others } = found
    expect(Object.keys(points)).toHaveLength(23)
    expect(points).toMatchObject({
      keywordAvailability: { points: 30, max: 30 },
      accessUrlStatusCode: { points: 50, max: 50 },
      downloadUrlStatusCode: { points: 0, max: 30 },
      dcatApCompliance: { points: 0, max: 30 },
      byteSizeAvailability: { points: 0, max: 5 },
      dateIssuedAvailability: { points: 5, max: 5 },
    })
    expect(others).toEqual({
      info: {
        'dataset-id': 'a',
        'dataset-uri': 'http://localhost:8080/set/data/a',
        score: 300,
        title: 'Pegel',
        scores: {
          findability: 80,
          accessibility: 80,
          interoperability: 80,
          reusability: 50,
          contextuality: 10,
        },
        measured: '2026-11-21T10:00:00Z',
      },
      validation: { errors: 1, warnings: 1, infos: 0, itemCount: 2 },
      findability: [{ keywordAvailability: true }],
      accessibility: [
        {
          accessUrlStatusCode: [
            { name: '200', percentage: 50 },
            { name: '404', percentage: 50 },
          ],
        },
        {
          downloadUrlAvailability: [
            { name: 'yes', percentage: 50 },
            { name: 'no', percentage: 50 },
          ],
        },
        { downloadUrlStatusCode: [{ name: '404', percentage: 100 }] },
      ],
      interoperability: [{ dcatApCompliance: false }],
      reusability: [{ accessRightsAvailability: false }],
      contextuality: [
        {
          byteSizeAvailability: [
            { name: 'yes', percentage: 0 },
            { name: 'no', percentage: 100 },
          ],
        },
        { dataset: [{ dateIssuedAvailability: true }] },
        {
          distributions: [
            {
              dateIssuedAvailability: [
                { name: 'yes', percentage: 0 },
                { name: 'no', percentage: 100 },
              ],
            },
          ],
        },
      ],
    })
    const tag = (await ask('/datasets/a')).headers.get('ETag') ?? ''
    expect((await ask('/datasets/a', { headers: { 'If-None-Match': tag } })).status).toBe(304)
  })

  it('have distributions in the order of their ids, each with its best status', async () => {
    const { results, get } = await served()
    const all = await results('/datasets/a/distributions')
    expect(all).toHaveLength(2)
    expect(all[0][0].info['distribution-id']).toBe('a-1')
    expect(all[1]).toEqual([
      {
        info: {
          'distribution-id': 'a-2',
          'distribution-uri': 'http://localhost:8080/set/distribution/a-2',
          'distribution-title': 'As CSV',
        },
      },
      {
        accessibility: [
          { accessUrlStatusCode: 200 },
          { downloadUrlAvailability: true },
          { downloadUrlStatusCode: 404 },
        ],
      },
      { interoperability: [] },
      { reusability: [] },
      { contextuality: [{ byteSizeAvailability: false }, { dateIssuedAvailability: false }] },
      {
        links: [
          link('accessUrl', 'one.example.org/x', 404),
          link('accessUrl', 'two.example.org/x', 200),
          link('downloadUrl', 'two.example.org/d', 404),
        ],
      },
      { validation: { errors: 1, warnings: 0, infos: 0, itemCount: 1 } },
    ])
    expect(await results('/distributions/a-2')).toEqual([all[1]])
    expect((await get('/datasets/a/distributions')).body.result.count).toBe(2)
  })
})
