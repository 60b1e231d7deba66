/** The quality pages in Chromium: one screen of each color scheme and width, and both pages on paper. */

import { qualityPaths, qualityPrint } from './quality-print.ts'

qualityPrint({
  screens: [
    ['dark', 1100, 'en'],
    ['light', 390, 'de'],
  ],
  printed: qualityPaths,
})
