export function WhatIf() {
  return <h1>WhatIf</h1>;
}
