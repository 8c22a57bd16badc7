export function Pages() {
  return <h1>Pages</h1>;
}
