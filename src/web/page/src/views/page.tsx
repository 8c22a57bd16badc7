export function PageView() {
  return <h1>PageView</h1>;
}
