/** What titles are made of. With 120 words, two of them that follow one another are rare, as what people search for is. */
export const WORDS = (
  'about acorn amber anchor arrow autumn bakery balcony bamboo barley basket beacon blanket blossom border bottle ' +
  'branch bridge bronze bucket button cabin camera candle canyon carpet castle cedar cellar chapel cherry cinder ' +
  'circle clover cobalt copper corner cotton cradle cricket crystal dagger daisy desert dinner distant dolphin dragon ' +
  'eagle early eastern ember engine evening falcon feather fellow fiddle flower forest fountain garden ginger glacier ' +
  'golden granite guitar hammer harbour hazel hidden hollow island ivory jasmine jungle kettle kitchen ladder lantern ' +
  'lemon linen marble meadow mirror morning mountain northern ocean orchard oyster paper pebble pepper pigeon quiet ' +
  'railway raven ribbon river saddle saffron shadow silver summer sunset tavern temple thunder timber tunnel valley ' +
  'velvet village violet window winter'
).split(' ');
