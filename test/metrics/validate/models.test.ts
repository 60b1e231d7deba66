/** Names of shape models. */

import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/errors.ts'
import {
  requestedModels,
  shippedFiles,
  shippedModels,
} from '../../../src/metrics/validate/shape-files.ts'

const known = [...shippedModels, 'house']

describe('a shape model', () => {
  it.each([
    ['dcatap301level1', ['3.0.1/base.ttl']],
    ['dcatap301level2', ['3.0.1/base.ttl', '3.0.1/recommended.ttl']],
    [
      'dcatap211level3',
      ['base', 'recommended', 'vocabularies', 'deprecated'].map((set) => `2.1.1/${set}.ttl`),
    ],
    [
      'dcatap301',
      ['base', 'recommended', 'vocabularies', 'deprecated', 'range'].map((s) => `3.0.1/${s}.ttl`),
    ],
    ['customized', ['3.0.1/base.ttl']],
    [
      'customized=vocabularies,range',
      ['base', 'vocabularies', 'range'].map((s) => `3.0.1/${s}.ttl`),
    ],
    ['house', undefined],
  ])('%s has its files', (model, files) => {
    expect(shippedFiles(model)).toEqual(files)
  })

  it('is the first level of 3.0.1 when nobody asks for another', () => {
    expect(requestedModels({}, known)).toEqual(['dcatap301level1'])
    expect(requestedModels({ shapeModel: ' ' }, known)).toEqual(['dcatap301level1'])
  })

  it('may be one of several, with commas or as a list, each once', () => {
    const shapeModel = ['house', 'dcatap211level1,house']
    expect(requestedModels({ shapeModel }, known)).toEqual(['house', 'dcatap211level1'])
  })

  it('can be put together from sets, in one spelling whatever their order', () => {
    const customized = 'range, recommended,base,range'
    expect(requestedModels({ shapeModel: 'customized', customized }, known)).toEqual([
      'customized=recommended,range',
    ])
    expect(requestedModels({ customized: ['range', 'recommended'] }, known)).toEqual([
      'customized=recommended,range',
    ])
    expect(requestedModels({ shapeModel: 'customized' }, known)).toEqual(['customized'])
  })

  it.each([
    ['shapeModel', { shapeModel: 'dcatap99' }],
    ['shapeModel', { shapeModel: ['dcatap301', 'constructor'] }],
    ['customized', { shapeModel: 'customized', customized: 'range,everything' }],
  ])('that does not exist is refused with the name of %s', (parameter, choice) => {
    const attempt = () => requestedModels(choice, known)
    expect(attempt).toThrow(
      expect.objectContaining<Partial<Failure>>({
        kind: 'invalid-parameter',
        errors: [expect.objectContaining({ parameter })],
      }),
    )
  })
})
